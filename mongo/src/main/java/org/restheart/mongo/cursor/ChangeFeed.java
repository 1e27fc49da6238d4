package org.restheart.mongo.cursor;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.ResumeToken;

/// The changes of one collection, and up to which moment they are known. MongoDB answers when there is a
/// change or the timeout ends, and says only then how far it has looked: with a short timeout that is learned sooner,
/// at the price of more commands. Waits for MongoDB. Confined to one thread.
final class ChangeFeed implements AutoCloseable {
    /// Milliseconds, while no request waits.
    private static final long IDLE_TIMEOUT = 100;

    /// Milliseconds, while a request waits to know that there were no changes.
    private static final long SHORT_TIMEOUT = 4;

    /// Changes may have one time, as those of a transaction. A batch has that many at least, if there are so many.
    private static final int AT_ONE_TIME = 1_000;

    private final MongoCollection<?> collection;
    private final List<BsonDocument> pipeline;
    private final BsonTimestamp after;

    private boolean urgent;
    private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> changes;
    private @Nullable ChangeStreamDocument<RawBsonDocument> last;
    private int atOneTime;

    /// @param after a moment of which everything is known. The stream begins at it, not one later: MongoDB says at once
    /// that it has passed what it begins at, also if that has still to come
    ChangeFeed(MongoCollection<?> collection, List<BsonDocument> pipeline, BsonTimestamp after) {
        this.collection = collection;
        this.pipeline = pipeline;
        this.after = after;
        this.changes = open(null);
    }

    private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> open(@Nullable BsonDocument seen) {
        ChangeStreamIterable<RawBsonDocument> stream = collection
                .watch(pipeline, RawBsonDocument.class)
                .maxAwaitTime(urgent ? SHORT_TIMEOUT : IDLE_TIMEOUT, TimeUnit.MILLISECONDS);
        return (seen == null ? stream.startAtOperationTime(after) : stream.resumeAfter(seen)).cursor();
    }

    /// The next change; empty if there was none for a while.
    ///
    /// @param isAwaited whether a request waits for what is known
    Optional<ChangeStreamDocument<RawBsonDocument>> next(boolean isAwaited) {
        if (isAwaited != urgent && changes.available() == 0) {
            urgent = isAwaited;
            var seen = changes.getResumeToken();
            changes.close();
            changes = open(seen);
        }
        var before = last;
        do {
            last = changes.tryNext();
        } while (last != null && isKnown(last));
        if (last != null) {
            boolean same = before != null
                    && before.getClusterTime() != null
                    && before.getClusterTime().equals(last.getClusterTime());
            atOneTime = same ? atOneTime + 1 : 1;
        }
        return Optional.ofNullable(last);
    }

    private boolean isKnown(ChangeStreamDocument<?> change) {
        var when = change.getClusterTime();
        return when != null && when.compareTo(after) <= 0;
    }

    /// The moment up to which all changes have been handed out; empty if there may be more of the last one's.
    Optional<BsonTimestamp> passed() {
        boolean sure = last == null || (changes.available() == 0 && atOneTime < AT_ONE_TIME);
        return sure ? ResumeToken.time(changes.getResumeToken()) : Optional.empty();
    }

    @Override
    public void close() {
        changes.close();
    }
}
