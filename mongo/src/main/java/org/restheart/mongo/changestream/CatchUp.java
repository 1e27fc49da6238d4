package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor;
import org.restheart.mongo.background.ResumeToken;
import org.restheart.mongo.background.Start;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings one listener from its last position to that of the shared stream, with a separate cursor. Events of the
/// shared stream are queued in the meantime; there is no gap, and events of both cursors are sent once.
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

    private final ChangeCursor cursor;
    private final Cursors.Place place;
    private final SharedStream stream;
    private final Listener listener;
    private final StreamMeters meters;

    private CatchUp(
            ChangeCursor cursor, Cursors.Place place, SharedStream stream, Listener listener, StreamMeters meters) {
        this.cursor = cursor;
        this.place = place;
        this.stream = stream;
        this.listener = listener;
        this.meters = meters;
    }

    /// Returns when the cursor is open; events are then sent in the background.
    ///
    /// @param places acquires that of the cursor
    /// @param from after the last event of the client, or the time of the first event that it requests
    /// @throws org.restheart.http.ProblemException 400 for an invalid token, 410 if the events after it are lost,
    ///     429 or 503 if there are too many cursors
    static void start(
            BackgroundTasks tasks,
            MongoClient client,
            Supplier<Cursors.Place> places,
            SharedStream stream,
            Listener listener,
            Start from,
            StreamMeters meters) {
        var place = places.get();
        boolean started = false;
        try {
            var cursor = ChangeCursor.open(stream.key().in(client), from);
            tasks.start("catch-up", new CatchUp(cursor, place, stream, listener, meters)::run);
            started = true;
        } catch (MongoException e) {
            throw StreamFailure.refusal(e, true);
        } finally {
            if (!started) {
                place.close();
            }
        }
    }

    private void run() {
        try (place;
                cursor) {
            var target = stream.position();
            var reached = step();
            while (stream.has(listener) && !hasReached(reached, target)) {
                reached = step();
                target = target == null ? stream.position() : target;
            }
            if (reached != null) {
                stream.release(listener, reached);
            }
        } catch (MongoException e) {
            LOG.info("a listener could not catch up: {}", e.toString());
            stream.leave(listener);
            listener.backlog().end(Ending.FAILED);
        }
    }

    /// @param target any position of the shared stream while this listener's messages were queued
    private static boolean hasReached(@Nullable BsonDocument reached, @Nullable BsonDocument target) {
        return reached != null && target != null && ResumeToken.reaches(reached, target);
    }

    /// Delivers one event, if there is one.
    ///
    /// @return the position up to which all events are delivered
    private @Nullable BsonDocument step() {
        var change = cursor.next();
        if (change == null) {
            return cursor.token();
        }
        if (!listener.deliver(new Event(change), meters)) {
            stream.leave(listener);
        }
        return change.token();
    }
}
