package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// A cursor on changes that hands out whole events as bytes. Confined to one thread at a time.
///
/// The driver's own type for events would refuse those that a pipeline has reshaped, and would build each as a tree. So
/// the last stage wraps the event into the field of which the driver asks nothing.
final class StreamCursor implements AutoCloseable {
    /// How long MongoDB waits for a change before it answers that there is none: so long it takes to notice that
    /// nobody listens any more.
    private static final long AWAIT_MILLIS = 750;

    private static final BsonDocument WRAP = new BsonDocument(
            "$replaceWith",
            new BsonDocument("_id", new BsonString("$_id"))
                    .append("operationType", new BsonDocument("$literal", new BsonString("insert")))
                    .append("fullDocument", new BsonString("$$ROOT")));

    private static final BsonDocument NOTHING_BUT_TOKENS =
            BsonDocument.parse("{$project: {_id: 1, operationType: {$literal: 'insert'}}}");

    private final MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> cursor;

    private StreamCursor(ChangeStreamIterable<RawBsonDocument> stream) {
        this.cursor = stream.cursor();
    }

    /// Returns when MongoDB has the cursor: it sees every change acknowledged afterwards.
    ///
    /// @param without tokens of events that do not get to the pipeline
    /// @param batchSize zero for MongoDB's own
    /// @throws MongoException when MongoDB refuses
    static StreamCursor open(
            MongoClient client, StreamKey key, Start start, List<BsonDocument> without, int batchSize) {
        var stages = new ArrayList<BsonDocument>();
        if (!without.isEmpty()) {
            stages.add(leaveOut(without));
        }
        stages.addAll(key.stages());
        stages.add(WRAP);
        var stream = watch(client, key, stages, start)
                .fullDocument(key.fullDocument())
                .fullDocumentBeforeChange(key.beforeChange());
        return new StreamCursor(batchSize == 0 ? stream : stream.batchSize(batchSize));
    }

    /// The token of the first event, whatever the pipeline makes of it.
    ///
    /// @param without tokens of events that do not count
    /// @return null if there is no event within a while
    static @Nullable BsonDocument firstToken(
            MongoClient client, StreamKey key, Start start, List<BsonDocument> without) {
        var stream = watch(client, key, List.of(leaveOut(without), NOTHING_BUT_TOKENS), start)
                .fullDocument(FullDocument.DEFAULT)
                .fullDocumentBeforeChange(FullDocumentBeforeChange.OFF)
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
            MongoClient client, StreamKey key, List<BsonDocument> stages, Start start) {
        var stream = client.getDatabase(key.namespace().getDatabaseName())
                .getCollection(key.namespace().getCollectionName())
                .watch(stages, RawBsonDocument.class)
                .maxAwaitTime(AWAIT_MILLIS, TimeUnit.MILLISECONDS);
        return start.applyTo(stream);
    }

    /// The next event; null if there was none for a while.
    @Nullable
    Event next() {
        var change = cursor.tryNext();
        return change == null
                ? null
                : new Event(Objects.requireNonNull(change.getFullDocument()), change.getResumeToken());
    }

    /// Where another cursor can go on; null before the first [#next()].
    @Nullable
    BsonDocument token() {
        return cursor.getResumeToken();
    }

    /// Whether nothing will ever come any more: the collection is gone. To be asked after [#next()] had nothing.
    boolean isOver() {
        return cursor.getServerCursor() == null;
    }

    @Override
    public void close() {
        cursor.close();
    }
}
