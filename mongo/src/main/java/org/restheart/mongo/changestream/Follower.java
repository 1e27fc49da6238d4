package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Ending;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows one change stream for as long as somebody wants it, past failures: goes on after the last event that was
/// told, so that none is lost and none comes twice. Confined to one thread.
final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int MOST_LEFT_OUT = 1_000;

    private final MongoClient client;
    private final StreamKey key;
    private final Audience audience;
    private Start position = new Start.Anywhere();
    private Duration pause = FIRST_PAUSE;
    private boolean stepping;
    private boolean moved;
    private final List<BsonDocument> leftOut = new ArrayList<>();

    /// Who is told.
    interface Audience {
        /// From now on nothing is missed.
        void opened();

        void happened(Event event);

        /// Nothing happened up to here.
        void reached(BsonDocument token);

        /// Asked about once a second. After no, nothing more is told.
        boolean isWanted();
    }

    Follower(MongoClient client, StreamKey key, Audience audience) {
        this.client = client;
        this.key = key;
        this.audience = audience;
    }

    /// Returns when it is over.
    ///
    /// @throws MongoException when the stream cannot be opened in the first place
    Ending follow() {
        position = Start.now(client);
        var cursor = StreamCursor.open(client, key, position, List.of(), 0);
        audience.opened();
        while (cursor != null) {
            MongoException failure = null;
            try (var current = cursor) {
                var ending = read(current);
                if (ending != null) {
                    return ending;
                }
            } catch (MongoException e) {
                failure = e;
            }
            cursor = reopen(failure);
        }
        return Ending.FAILED;
    }

    /// @return null to go on with a new cursor
    private @Nullable Ending read(StreamCursor cursor) {
        while (audience.isWanted()) {
            var event = cursor.next();
            if (event != null) {
                moveTo(event.token());
                audience.happened(event);
            } else if (cursor.isOver()) {
                return Ending.COLLECTION_GONE;
            } else {
                reached(cursor.token());
                if (stepping) {
                    return null;
                }
            }
        }
        return Ending.SHUTDOWN;
    }

    private void moveTo(BsonDocument token) {
        position = new Start.After(token);
        leftOut.clear();
        moved = true;
        pause = FIRST_PAUSE;
    }

    private void reached(@Nullable BsonDocument token) {
        if (token != null) {
            moveTo(token);
            audience.reached(token);
        }
    }

    /// @param failure null if there was none
    /// @return null if it is over
    private @Nullable StreamCursor reopen(@Nullable MongoException failure) {
        var cause = failure;
        while (audience.isWanted()) {
            try {
                if (cause == null) {
                    stepping = false;
                } else if (!overcome(cause)) {
                    return null;
                }
                return StreamCursor.open(client, key, position, leftOut, stepping ? 1 : 0);
            } catch (MongoException e) {
                cause = e;
            }
        }
        return null;
    }

    /// @return false if that is not possible
    private boolean overcome(MongoException failure) {
        switch (StreamFailure.of(failure)) {
            case FOREVER -> {
                LOG.warn("a change stream of {} ends: {}", key.namespace(), failure.toString());
                return false;
            }
            case FOR_NOW -> {
                LOG.info("a change stream of {} is interrupted: {}", key.namespace(), failure.toString());
                rest();
            }
            case ONE_EVENT -> {
                return stepOver(failure);
            }
        }
        return true;
    }

    /// MongoDB does not say which event it was. So the events since the last one told are asked for one by one, and
    /// the one at which it fails again is kept from the pipeline. Resuming after that event would not do: MongoDB
    /// hands the event after which it resumes to the pipeline too.
    ///
    /// @return false if there is no end of such events
    private boolean stepOver(MongoException failure) {
        if (stepping && !moved) {
            var token = StreamCursor.firstToken(client, key, position, leftOut);
            if (token == null) {
                rest();
            } else if (leftOut.size() < MOST_LEFT_OUT) {
                LOG.warn(
                        "the pipeline of a change stream of {} fails at one event, which is left out: code {}",
                        key.namespace(),
                        failure.getCode());
                leftOut.add(token);
            } else {
                LOG.warn("the pipeline of a change stream of {} fails at every event", key.namespace());
                return false;
            }
        }
        stepping = true;
        moved = false;
        return true;
    }

    private void rest() {
        LockSupport.parkNanos(pause.toNanos());
        var doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
}
