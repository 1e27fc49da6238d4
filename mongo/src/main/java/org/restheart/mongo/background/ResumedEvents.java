package org.restheart.mongo.background;

import com.mongodb.MongoException;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeFollower.FollowFailure;
import org.restheart.mongo.background.ChangeSource.Start;

/// The events of a change stream from a position in the past on, without those at which its pipeline fails: who resumes
/// receives what those receive who have stayed. Other failures end it. Confined to one thread at a time.
public final class ResumedEvents implements AutoCloseable {
    /// Short, since most of those who resume have missed nothing, and others wait until they have.
    private static final long AWAIT_MILLIS = 50;

    /// Of events that are fetched at once after [#back]: with what MongoDB adds to each, the reply is not large.
    private static final long BATCH_BYTES = 128 << 10;

    /// Events whose average tells that more may be fetched at once.
    private static final int MANY = 50;

    private final SkippedEvents skipped;
    private Start position;

    /// That of the last event before it was returned.
    private Start before;

    private @Nullable ChangeCursor cursor;

    /// Events that are fetched at once; zero for as many as MongoDB sends, up to 16 MB.
    private int batchSize;

    /// Events that the cursor has returned, and their bytes.
    private int returned;

    private long bytes;

    private ResumedEvents(ChangeSource source, Start from) {
        this.skipped = new SkippedEvents(source, AWAIT_MILLIS);
        this.position = from;
        this.before = from;
    }

    /// Returns when MongoDB has accepted the position.
    ///
    /// @param source whose pipeline MongoDB accepts, as a cursor from now on has shown
    /// @throws MongoException for an invalid token, or if the events after it are lost
    public static ResumedEvents open(ChangeSource source, Start from) {
        var events = new ResumedEvents(source, from);
        try {
            events.cursor = events.skipped.open(from, events.batchSize);
        } catch (MongoException e) {
            if (FollowFailure.of(e) == FollowFailure.ONE_EVENT) {
                var _ = ChangeCursor.firstToken(source, from, List.of()); // fails if the position is why
            }
            events.leaveOut(e);
        }
        return events;
    }

    /// The next event; null if there was none for a while, or one was left out.
    ///
    /// @throws MongoException for a failure that is not due to one event, or if there is no end of those that are
    public @Nullable Change next() {
        if (cursor == null) {
            reopen();
            return null;
        }
        Change change;
        try {
            change = cursor.next();
        } catch (MongoException e) {
            close();
            leaveOut(e);
            return null;
        }
        var reached = change == null ? cursor.token() : change.token();
        if (reached != null) {
            before = position;
            position = new Start.After(reached);
            skipped.moved();
        }
        if (change != null) {
            returned++;
            bytes += change.document().getByteLength();
            fetchMore();
        } else if (skipped.isStepping() || batchSize > 0) {
            close();
            skipped.stopStepping();
            batchSize = 0;
        }
        return change;
    }

    /// Goes on with another cursor if events are smaller than when their number was limited.
    private void fetchMore() {
        if (batchSize > 0 && returned >= MANY && !isFetched() && fitting() >= 2 * batchSize) {
            batchSize = fitting();
            close();
        }
    }

    private int fitting() {
        return (int) Math.max(1, BATCH_BYTES * returned / Math.max(1, bytes));
    }

    private void reopen() {
        try {
            cursor = skipped.open(position, batchSize);
        } catch (MongoException e) {
            leaveOut(e);
        }
    }

    private void leaveOut(MongoException failure) {
        if (FollowFailure.of(failure) != FollowFailure.ONE_EVENT
                || skipped.after(failure, position) == SkippedEvents.Next.GIVE_UP) {
            throw failure;
        }
    }

    /// Whether the next event is in memory.
    public boolean isFetched() {
        return cursor != null && cursor.isFetched();
    }

    /// Keeps none in memory: those that have been fetched are fetched again.
    public void letGo() {
        if (isFetched()) {
            close();
        }
    }

    /// As [#letGo], and goes back to before the event that [#next()] has returned last.
    ///
    /// @param isLarge whether the reply with that event was: fewer are fetched at once then, large ones one by one
    public void back(boolean isLarge) {
        if (isLarge) {
            batchSize = batchSize == 0 ? fitting() : Math.min(fitting(), Math.max(1, batchSize / 2));
        }
        close();
        position = before;
    }

    /// The position up to which [#next()] has returned all events; null until that is known.
    public @Nullable BsonDocument token() {
        return position instanceof Start.After(var token) ? token : null;
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
        returned = 0;
        bytes = 0;
    }
}
