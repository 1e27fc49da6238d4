package org.restheart.mongo.background;

import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.restheart.mongo.background.ChangeSource.Start;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The events after a position at which a pipeline fails, or that are larger than MongoDB sends. MongoDB does not
/// report which event it was. Therefore the events since the last delivered one are fetched one by one, and the one at
/// which it fails again is excluded from the pipeline. Resuming after that event is not possible: MongoDB passes the
/// event after which it resumes to the pipeline too. Confined to one thread at a time.
final class SkippedEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SkippedEvents.class);
    private static final int MAX = 1_000;

    private final ChangeSource source;
    private final long awaitMillis;
    private final List<BsonDocument> tokens = new ArrayList<>();
    private boolean stepping;
    private boolean moved;

    /// @param awaitMillis how long MongoDB waits for an event
    SkippedEvents(ChangeSource source, long awaitMillis) {
        this.source = source;
        this.awaitMillis = awaitMillis;
    }

    enum Next {
        /// Open another cursor.
        TRY_AGAIN,
        /// The same, after a while: the event is not there yet.
        WAIT,
        /// There is no end of such events.
        GIVE_UP
    }

    /// Opens a cursor without the skipped events.
    ///
    /// @param batchSize zero for MongoDB's own; after a failure events are fetched one by one nevertheless
    ChangeCursor open(Start position, int batchSize) {
        return ChangeCursor.open(source, position, tokens, stepping ? 1 : batchSize, awaitMillis);
    }

    /// Whether events are fetched one by one.
    boolean isStepping() {
        return stepping;
    }

    /// Fetches many events at once from now on.
    void stopStepping() {
        stepping = false;
    }

    /// The position is another one, after the skipped events.
    void moved() {
        tokens.clear();
        moved = true;
    }

    void clear() {
        tokens.clear();
        stepping = false;
    }

    /// Called after a failure of [ChangeFollower.FollowFailure#ONE_EVENT].
    Next after(MongoException failure, Start position) {
        var next = Next.TRY_AGAIN;
        if (stepping && !moved) {
            var token = ChangeCursor.firstToken(source, position, tokens);
            if (token == null) {
                next = Next.WAIT;
            } else if (tokens.size() < MAX) {
                LOG.warn(
                        "the pipeline of a change stream of {} fails at one event, which is left out: code {}",
                        source.name(),
                        failure.getCode());
                tokens.add(token);
            } else {
                LOG.warn("the pipeline of a change stream of {} fails at every event", source.name());
                return Next.GIVE_UP;
            }
        }
        stepping = true;
        moved = false;
        return next;
    }
}
