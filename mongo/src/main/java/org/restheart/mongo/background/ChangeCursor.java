package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.ChangeSource.Start;

/// A change stream cursor that returns whole, unmodified events. Confined to one thread at a time.
///
/// The driver's type for events fails for events that a pipeline has reshaped, and decodes each to a tree. Therefore
/// the last stage wraps the event in a field that the driver does not check.
public final class ChangeCursor implements AutoCloseable {
    /// How long MongoDB waits for a change before it returns an empty batch, and so the delay until a stream that is no
    /// longer needed is closed.
    static final long AWAIT_MILLIS = 750;

    private static final BsonDocument WRAP = BsonDocument.parse(
            "{$replaceWith: {_id: '$_id', operationType: {$literal: 'insert'}, fullDocument: '$$ROOT'}}");

    private static final BsonDocument NOTHING_BUT_TOKENS =
            BsonDocument.parse("{$project: {_id: 1, operationType: {$literal: 'insert'}}}");

    private final MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> cursor;

    private ChangeCursor(ChangeStreamIterable<RawBsonDocument> stream) {
        this.cursor = stream.cursor();
    }

    /// @param document the whole event, after the pipeline
    /// @param token where a stream resumes after it
    public record Change(RawBsonDocument document, BsonDocument token) {}

    /// Returns when the cursor is open in MongoDB: it returns every change acknowledged afterwards.
    ///
    /// @throws com.mongodb.MongoException when MongoDB refuses
    public static ChangeCursor open(ChangeSource source, Start start) {
        return open(source, start, List.of(), 0, AWAIT_MILLIS);
    }

    /// @param without tokens of events to exclude before the pipeline
    /// @param batchSize zero for MongoDB's own
    /// @param millis how long MongoDB waits for a change
    static ChangeCursor open(ChangeSource source, Start start, List<BsonDocument> without, int batchSize, long millis) {
        var stages = new ArrayList<BsonDocument>();
        if (!without.isEmpty()) {
            stages.add(leaveOut(without));
        }
        stages.addAll(source.pipeline());
        stages.add(WRAP);
        var stream = source.withOptions(watch(source, stages, start, millis));
        return new ChangeCursor(batchSize == 0 ? stream : stream.batchSize(batchSize));
    }

    /// The token of the first event before the pipeline.
    ///
    /// @param without tokens of events to exclude
    /// @return null if there is no event within a while
    static @Nullable BsonDocument firstToken(ChangeSource source, Start start, List<BsonDocument> without) {
        var stream = watch(source, List.of(leaveOut(without), NOTHING_BUT_TOKENS), start, AWAIT_MILLIS)
                .batchSize(1);
        try (var cursor = stream.cursor()) {
            var event = cursor.tryNext();
            return event == null ? null : event.getResumeToken();
        }
    }

    private static BsonDocument leaveOut(List<BsonDocument> tokens) {
        var data =
                new BsonArray(tokens.stream().map(token -> token.get("_data")).toList());
        return new BsonDocument("$match", new BsonDocument("_id._data", new BsonDocument("$nin", data)));
    }

    private static ChangeStreamIterable<RawBsonDocument> watch(
            ChangeSource source, List<BsonDocument> stages, Start start, long millis) {
        return start.applyTo(source.watch(stages).maxAwaitTime(millis, TimeUnit.MILLISECONDS));
    }

    /// The next event; null if there was none for a while.
    public @Nullable Change next() {
        var change = cursor.tryNext();
        return change == null
                ? null
                : new Change(Objects.requireNonNull(change.getFullDocument()), change.getResumeToken());
    }

    /// The token from which another cursor can resume; null before the first [#next()].
    public @Nullable BsonDocument token() {
        return cursor.getResumeToken();
    }

    /// Whether the next event has been fetched with the one before.
    boolean isFetched() {
        return cursor.available() > 0;
    }

    /// Whether the stream has ended because the collection was dropped. Called after [#next()] returned null.
    boolean isOver() {
        return cursor.getServerCursor() == null;
    }

    @Override
    public void close() {
        cursor.close();
    }

    /// Reads resume tokens of change streams. MongoDB's manual calls them opaque, but their `_data` has been the same
    /// since 4.0.7 (`src/mongo/db/pipeline/resume_token.h`): a key string in hexadecimal digits, whose order is the
    /// order of events, and whose first value is the cluster time.
    public static final class ResumeToken {
        /// The key string's mark of a timestamp.
        private static final String TIMESTAMP = "82";

        private static final int DIGITS = 8;

        private ResumeToken() {}

        /// Whether `token` is at or after `target`.
        public static boolean reaches(BsonDocument token, BsonDocument target) {
            return data(token).compareTo(data(target)) >= 0;
        }

        private static String data(BsonDocument token) {
            return token.getString("_data").getValue();
        }

        /// Empty if the format is unknown: no event may then be considered passed.
        public static Optional<BsonTimestamp> time(@Nullable BsonDocument token) {
            var data = token == null ? BsonNull.VALUE : token.get("_data", BsonNull.VALUE);
            if (!data.isString()) {
                return Optional.empty();
            }
            var text = data.asString().getValue();
            int seconds = TIMESTAMP.length();
            int increment = seconds + DIGITS;
            if (!text.startsWith(TIMESTAMP) || text.length() < increment + DIGITS) {
                return Optional.empty();
            }
            try {
                return Optional.of(new BsonTimestamp(
                        Integer.parseUnsignedInt(text, seconds, increment, 16),
                        Integer.parseUnsignedInt(text, increment, increment + DIGITS, 16)));
            } catch (NumberFormatException _) {
                return Optional.empty();
            }
        }
    }
}
