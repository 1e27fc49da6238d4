package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// A change stream cursor that returns whole, unmodified events. Confined to one thread at a time.
///
/// The driver's type for events fails for events that a pipeline has reshaped, and decodes each to a tree. Therefore
/// the last stage wraps the event in a field that the driver does not check.
public final class ChangeCursor implements AutoCloseable {
    /// How long MongoDB waits for a change before it returns an empty batch, and so the delay until a stream that is no
    /// longer needed is closed.
    static final long AWAIT_MILLIS = 750;

    private static final BsonDocument WRAP = new BsonDocument(
            "$replaceWith",
            new BsonDocument("_id", new BsonString("$_id"))
                    .append("operationType", new BsonDocument("$literal", new BsonString("insert")))
                    .append("fullDocument", new BsonString("$$ROOT")));

    private static final BsonDocument NOTHING_BUT_TOKENS =
            BsonDocument.parse("{$project: {_id: 1, operationType: {$literal: 'insert'}}}");

    private final MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> cursor;

    private ChangeCursor(ChangeStreamIterable<RawBsonDocument> stream) {
        this.cursor = stream.cursor();
    }

    /// One event.
    ///
    /// @param document the whole event, after the pipeline
    /// @param token where a stream resumes after it
    public record Change(RawBsonDocument document, BsonDocument token) {}

    /// Returns when the cursor is open in MongoDB: it returns every change acknowledged afterwards.
    ///
    /// @throws com.mongodb.MongoException when MongoDB refuses
    public static ChangeCursor open(Followed followed, Start start) {
        return open(followed, start, List.of(), 0, AWAIT_MILLIS);
    }

    /// @param without tokens of events to exclude before the pipeline
    /// @param batchSize zero for MongoDB's own
    /// @param millis how long MongoDB waits for a change
    static ChangeCursor open(Followed followed, Start start, List<BsonDocument> without, int batchSize, long millis) {
        var stages = new ArrayList<BsonDocument>();
        if (!without.isEmpty()) {
            stages.add(leaveOut(without));
        }
        stages.addAll(followed.pipeline());
        stages.add(WRAP);
        var stream = followed.withOptions(watch(followed, stages, start, millis));
        return new ChangeCursor(batchSize == 0 ? stream : stream.batchSize(batchSize));
    }

    /// The token of the first event before the pipeline.
    ///
    /// @param without tokens of events to exclude
    /// @return null if there is no event within a while
    static @Nullable BsonDocument firstToken(Followed followed, Start start, List<BsonDocument> without) {
        var stream = watch(followed, List.of(leaveOut(without), NOTHING_BUT_TOKENS), start, AWAIT_MILLIS)
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
            Followed followed, List<BsonDocument> stages, Start start, long millis) {
        return start.applyTo(followed.watch(stages).maxAwaitTime(millis, TimeUnit.MILLISECONDS));
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

    /// Whether the stream has ended because the collection was dropped. Called after [#next()] returned null.
    boolean isOver() {
        return cursor.getServerCursor() == null;
    }

    @Override
    public void close() {
        cursor.close();
    }
}
