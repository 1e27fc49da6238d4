package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ResumeToken;
import org.restheart.mongo.background.ResumedEvents;
import org.restheart.mongo.background.Start;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings listeners from their last positions to that of a shared stream, each with a separate cursor, as fast as their
/// clients take what they missed. Events of the shared stream are queued in the meantime, as many as fit; there is no
/// gap, and events of both cursors are sent once. Thread-safe.
record CatchUp(BackgroundTasks tasks, MongoClient client, Cursors cursors, StreamMeters meters) {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

    /// Returns when the listener's cursor is open; events are then sent in the background.
    ///
    /// @param owner for whom the cursor counts
    /// @param from after the last event of the client, or the time of the first event that it requests
    /// @throws org.restheart.http.ProblemException 400 for an invalid token, 410 if the events after it are lost,
    ///     429 or 503 if there are too many cursors
    void start(String owner, SharedStream stream, Listener listener, Start from) {
        var place = cursors.acquire(owner);
        boolean started = false;
        try {
            var events = ResumedEvents.open(stream.key().in(client), from);
            tasks.start("catch-up", () -> {
                try (place;
                        events) {
                    run(events, stream, listener);
                }
            });
            started = true;
        } catch (MongoException e) {
            throw StreamFailure.refusal(e, true);
        } finally {
            if (!started) {
                place.close();
            }
        }
    }

    private void run(ResumedEvents events, SharedStream stream, Listener listener) {
        try {
            var target = stream.position();
            while (stream.has(listener)) {
                var reached = step(events, stream, listener);
                target = target == null ? stream.position() : target;
                if (reached != null && target != null && ResumeToken.reaches(reached, target)) {
                    var ahead = stream.release(listener, reached);
                    if (ahead.isEmpty()) {
                        return;
                    }
                    target = ahead.get();
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            stream.leave(listener);
            listener.backlog().end(Ending.SHUTDOWN);
        } catch (RuntimeException e) { // otherwise the listener would wait without end
            if (e instanceof MongoException) {
                LOG.info("a listener could not catch up: {}", e.toString());
            } else {
                LOG.error("a listener could not catch up", e);
            }
            stream.leave(listener);
            listener.backlog().end(Ending.FAILED);
        }
    }

    /// Delivers one event, if there is one. Waits for a client that takes them slowly: no other listener waits for it.
    ///
    /// @return the position up to which all events are delivered
    private @Nullable BsonDocument step(ResumedEvents events, SharedStream stream, Listener listener)
            throws InterruptedException {
        var change = events.next();
        if (change == null) {
            return events.token();
        }
        if (!listener.catchUp(new Event(change), meters)) {
            stream.leave(listener);
        }
        return change.token();
    }
}
