package org.restheart.mongo.background;

import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The events after a position at which a pipeline fails, or that are larger than MongoDB sends. MongoDB does not
/// report which event it was. Therefore the events since the last delivered one are fetched one by one, and the one at
/// which it fails again is excluded from the pipeline. Resuming after that event is not possible: MongoDB passes the
/// event after which it resumes to the pipeline too. Confined to one thread at a time.
final class SkippedEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SkippedEvents.class);
    private static final int MAX = 1_000;

    private final Followed followed;
    private final long awaitMillis;
    private final List<BsonDocument> tokens = new ArrayList<>();
    private boolean stepping;
    private boolean moved;

    /// @param awaitMillis how long MongoDB waits for an event
    SkippedEvents(Followed followed, long awaitMillis) {
        this.followed = followed;
        this.awaitMillis = awaitMillis;
    }

    /// What follows a failure.
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
    /// @throws MongoException when MongoDB refuses
    ChangeCursor open(Start position) {
        return ChangeCursor.open(followed, position, tokens, stepping ? 1 : 0, awaitMillis);
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

    /// Forgets everything.
    void clear() {
        tokens.clear();
        stepping = false;
    }

    /// Called after a failure of [FollowFailure#ONE_EVENT].
    ///
    /// @param position of the cursor
    /// @throws MongoException when MongoDB refuses
    Next after(MongoException failure, Start position) {
        var next = Next.TRY_AGAIN;
        if (stepping && !moved) {
            var token = ChangeCursor.firstToken(followed, position, tokens);
            if (token == null) {
                next = Next.WAIT;
            } else if (tokens.size() < MAX) {
                LOG.warn(
                        "the pipeline of a change stream of {} fails at one event, which is left out: code {}",
                        followed.name(),
                        failure.getCode());
                tokens.add(token);
            } else {
                LOG.warn("the pipeline of a change stream of {} fails at every event", followed.name());
                return Next.GIVE_UP;
            }
        }
        stepping = true;
        moved = false;
        return next;
    }
}
