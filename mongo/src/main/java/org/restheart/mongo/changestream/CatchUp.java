package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.FairShares;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeCursor.ResumeToken;
import org.restheart.mongo.background.ChangeSource.Start;
import org.restheart.mongo.background.ResumedEvents;
import org.restheart.mongo.changestream.ChangeStreams.CursorLimit;
import org.restheart.mongo.find.LargeReplies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings listeners from their last positions to that of a shared stream, each with a separate cursor, as fast as their
/// clients take what they missed. Events of the shared stream are queued in the meantime, as many as fit; there is no
/// gap, and events of both cursors are sent once. Thread-safe.
///
/// MongoDB searches its whole log from the position on, for a single event as well, and goes on when the client has
/// disconnected. Few listeners at a time, in fair shares of their callers, therefore let it search; the others wait.
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

    /// Searches at a time, each of which may occupy a processor of MongoDB.
    private static final int SEARCHES = 16;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /// How long events are kept that a client does not take, unless the reply with them was large.
    private static final Duration SHORT_WAIT = Duration.ofMillis(100);

    /// How far a shared stream may be behind MongoDB, in seconds, when a listener goes on with it: the rest it may
    /// deliver faster than a client takes it, however fast that has taken what it missed.
    private static final int NEARLY = 2;

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final CursorLimit cursors;
    private final StreamMeters meters;
    private final FairShares searches = new FairShares(SEARCHES);

    CatchUp(BackgroundTasks tasks, MongoClient client, CursorLimit cursors, StreamMeters meters) {
        this.tasks = tasks;
        this.client = client;
        this.cursors = cursors;
        this.meters = meters;
    }

    /// Returns when the listener's cursor is open; events are then sent in the background.
    ///
    /// @param owner for whom the cursor counts
    /// @param from after the last event of the client, or the time of the first event that it requests
    /// @throws org.restheart.http.ProblemException 400 for an invalid token, 410 if the events after it are lost,
    ///     429 or 503 if there are too many cursors, or too many are being opened
    void start(String owner, SharedStream stream, Listener listener, Start from) {
        var place = cursors.acquire(owner);
        boolean started = false;
        try {
            var events = open(owner, stream, from);
            tasks.start("catch-up", () -> {
                try (place;
                        events) {
                    var _ = LargeReplies.owned(() -> {
                        run(owner, events, stream, listener);
                        return true;
                    });
                }
            });
            started = true;
        } catch (MongoException e) {
            throw SharedStream.refusal(e, true);
        } finally {
            if (!started) {
                place.close();
            }
        }
    }

    private ResumedEvents open(String owner, SharedStream stream, Start from) {
        boolean taken = false;
        try {
            taken = searches.take(owner, LONGEST_WAIT.toNanos());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        if (!taken) {
            throw Problem.of(
                            ProblemCode.OVERLOADED,
                            "too many listeners of this account or address search for what they have missed")
                    .with("Retry-After", "5")
                    .raise();
        }
        try {
            return LargeReplies.owned(() -> {
                var events = ResumedEvents.open(stream.key().in(client), from);
                if (LargeReplies.isHeld()) { // nobody would own it until the first event is delivered
                    events.letGo();
                }
                return events;
            });
        } finally {
            searches.release(owner);
        }
    }

    private void run(String owner, ResumedEvents events, SharedStream stream, Listener listener) {
        try {
            var target = stream.position();
            var now = new Now();
            while (stream.has(listener)) {
                var reached = step(owner, events, stream, listener);
                target = target == null ? stream.position() : target;
                if (reached != null
                        && target != null
                        && ResumeToken.reaches(reached, target)
                        && now.isReached(stream.position())) {
                    events.letGo();
                    LargeReplies.settled();
                    if (!listener.awaitTaken(meters)) {
                        stream.stopDelivery(listener);
                        return;
                    }
                    var ahead = stream.release(listener, reached);
                    if (ahead.isEmpty()) {
                        return;
                    }
                    target = ahead.get();
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            stream.stopDelivery(listener);
            listener.backlog().end(Ending.SHUTDOWN);
        } catch (RuntimeException e) { // otherwise the listener would wait without end
            if (e instanceof MongoException) {
                LOG.info("a listener could not catch up: {}", e.toString());
            } else {
                LOG.error("a listener could not catch up", e);
            }
            stream.stopDelivery(listener);
            listener.backlog().end(Ending.FAILED);
        }
    }

    /// The time in MongoDB, which is asked for again when the answer is old. Confined to one thread.
    private final class Now {
        private Start time = Start.now(client);
        private long asked = System.nanoTime();

        /// Whether a position is near it, as far as its time can be told.
        boolean isReached(@Nullable BsonDocument position) {
            if (System.nanoTime() - asked > TimeUnit.SECONDS.toNanos(NEARLY)) {
                time = Start.now(client);
                asked = System.nanoTime();
            }
            return !(time instanceof Start.At(var now))
                    || ResumeToken.time(position)
                            .map(reached -> reached.getTime() >= now.getTime() - NEARLY)
                            .orElse(true);
        }
    }

    /// Delivers one event, if there is one. Waits for a client that takes them slowly, but keeps no events meanwhile:
    /// there may be many such clients.
    ///
    /// @return the position up to which all events are delivered
    private @Nullable BsonDocument step(String owner, ResumedEvents events, SharedStream stream, Listener listener)
            throws InterruptedException {
        if (!delivers(owner, events, stream, listener)) {
            events.back(LargeReplies.isHeld());
            LargeReplies.settled();
            if (!listener.awaitTaken(meters)) {
                stream.stopDelivery(listener);
            }
        }
        return events.token();
    }

    /// @return false if the client has to take others before
    private boolean delivers(String owner, ResumedEvents events, SharedStream stream, Listener listener)
            throws InterruptedException {
        var change = next(owner, events, stream, listener);
        if (change == null) {
            return true;
        }
        var wait = LargeReplies.isHeld() ? Duration.ZERO : SHORT_WAIT;
        var isSent = listener.catchUp(new Event(change), wait, meters);
        if (!isSent.orElse(true)) {
            stream.stopDelivery(listener);
        }
        return isSent.isPresent();
    }

    private @Nullable Change next(String owner, ResumedEvents events, SharedStream stream, Listener listener)
            throws InterruptedException {
        if (events.isFetched()) {
            return events.next();
        }
        LargeReplies.settled();
        var _ = searches.take(owner, Long.MAX_VALUE);
        try {
            return stream.has(listener) ? events.next() : null; // it may have left while it waited
        } finally {
            searches.release(owner);
        }
    }
}
