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

/// The changes of one collection and the time up to which they are known. MongoDB replies when there is a change or
/// the timeout ends, and reports its position only then: a short timeout reports it sooner, with more commands.
/// Blocks for MongoDB. Confined to one thread.
final class ChangeFeed implements AutoCloseable {
    /// Milliseconds, while no request waits.
    private static final long IDLE_TIMEOUT = 100;

    /// Milliseconds, while a request waits for the position.
    private static final long SHORT_TIMEOUT = 4;

    /// Several changes may have the same time, as those of a transaction. The least batch size.
    private static final int AT_ONE_TIME = 1_000;

    private final MongoCollection<?> collection;
    private final List<BsonDocument> pipeline;
    private final BsonTimestamp after;

    private boolean urgent;
    private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> changes;
    private @Nullable ChangeStreamDocument<RawBsonDocument> last;
    private int atOneTime;

    /// @param after a time up to which all changes are known. The stream begins at it, not one later: MongoDB
    ///     reports at once that it has passed its start, even if that is in the future
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

    /// The next change; empty after a timeout.
    ///
    /// @param isAwaited whether a request waits for the position
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

    /// The time up to which all changes have been returned; empty if there may be more with the time of the last
    /// one.
    Optional<BsonTimestamp> passed() {
        boolean sure = last == null || (changes.available() == 0 && atOneTime < AT_ONE_TIME);
        return sure ? ResumeToken.time(changes.getResumeToken()) : Optional.empty();
    }

    @Override
    public void close() {
        changes.close();
    }
}
