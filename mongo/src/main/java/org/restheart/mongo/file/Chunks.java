package org.restheart.mongo.file;

import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;

/// The chunks of one bucket, in the format of the GridFS specification.
///
/// Because of the unique index, the upload that inserted chunk 0 of an id owns the id: no other upload with the id
/// can begin. Chunk 0 is therefore removed last.
final class Chunks {
    /// Content arrives at 500 bytes per second at least, so that an active upload never pauses longer between two
    /// chunks.
    private static final Duration ABANDONED = Duration.ofHours(1);

    private static final BsonDocument KEY =
            new BsonDocument("files_id", new BsonInt32(1)).append("n", new BsonInt32(1));

    private final MongoDatabase database;
    private final String files;
    private final MongoCollection<BsonDocument> chunks;

    Chunks(MongoDatabase database, String files, WriteConcern writeConcern) {
        this.database = database;
        this.files = files;
        this.chunks = database.getCollection(
                        files.substring(0, files.length() - ".files".length()) + ".chunks", BsonDocument.class)
                .withReadPreference(ReadPreference.primary())
                .withWriteConcern(writeConcern.isAcknowledged() ? writeConcern : WriteConcern.W1);
    }

    static Chunks of(Collections collections, DataRequest request) {
        return new Chunks(
                collections.database(request.path().requireDb()),
                request.path().requireCollection(),
                collections.of(request).getWriteConcern());
    }

    void ensureIndexes() {
        chunks.createIndex(KEY, new IndexOptions().unique(true));
        database.getCollection(files)
                .createIndex(new BsonDocument("filename", new BsonInt32(1)).append("uploadDate", new BsonInt32(1)));
    }

    /// @throws com.mongodb.MongoException with a duplicate key if another upload has the id
    void insert(List<BsonDocument> documents) {
        chunks.insertMany(documents);
    }

    /// Removes chunks by their own ids, unless they have been moved to another file.
    void delete(BsonValue file, List<BsonObjectId> ids) {
        for (int from = 0; from < ids.size(); from += 1_000) {
            var some = new BsonArray(ids.subList(from, Math.min(ids.size(), from + 1_000)));
            chunks.deleteMany(new BsonDocument("_id", new BsonDocument("$in", some)).append("files_id", literal(file)));
        }
    }

    /// Removes the chunks of a deleted file.
    void deleteOf(BsonValue file) {
        var bound = newest(file).map(newest -> new ObjectId(newest.getTimestamp() + 60, 0));
        delete(file, new BsonDocument("$gt", new BsonInt32(0)), bound);
        delete(file, new BsonInt32(0), bound);
    }

    /// Removes chunks of an aborted upload; false if the upload may still be active, or there is a file of them:
    /// an upload may take hours, and somebody else makes that file meanwhile.
    boolean reclaim(BsonValue file) {
        var newest = newest(file);
        if (newest.isEmpty()
                || newest.get().getDate().toInstant().isAfter(Instant.now().minus(ABANDONED))
                || isVisible(file)) {
            return false;
        }
        delete(file, new BsonDocument("$gte", new BsonInt32(0)), newest);
        return true;
    }

    private void delete(BsonValue file, BsonValue n, Optional<ObjectId> upTo) {
        var filter = new BsonDocument("files_id", literal(file)).append("n", n);
        upTo.ifPresent(id -> filter.append("_id", new BsonDocument("$lte", new BsonObjectId(id))));
        chunks.deleteMany(filter);
    }

    /// The id of the last chunk, if it is an ObjectId.
    private Optional<ObjectId> newest(BsonValue file) {
        return Optional.ofNullable(chunks.find(new BsonDocument("files_id", literal(file)))
                        .sort(new BsonDocument("n", new BsonInt32(-1)))
                        .projection(new BsonDocument("_id", new BsonInt32(1)))
                        .first())
                .map(chunk -> chunk.get("_id"))
                .filter(BsonValue::isObjectId)
                .map(id -> id.asObjectId().getValue());
    }

    /// Whether a file has the chunks of this id.
    boolean isVisible(BsonValue file) {
        return database.getCollection(files)
                        .withReadPreference(ReadPreference.primary())
                        .find(new BsonDocument("_id", literal(file)))
                        .projection(new BsonDocument("_id", new BsonInt32(1)))
                        .first()
                != null;
    }

    /// Moves the chunks of one id to another, replacing the chunks of the latter.
    void move(ClientSession session, BsonValue from, BsonValue to) {
        chunks.deleteMany(session, new BsonDocument("files_id", literal(to)));
        chunks.updateMany(
                session,
                new BsonDocument("files_id", literal(from)),
                new BsonDocument("$set", new BsonDocument("files_id", to)));
    }

    /// @param session null for the current state
    List<BsonDocument> read(@Nullable ClientSession session, BsonValue file, long from, int count) {
        var filter = new BsonDocument("files_id", literal(file))
                .append("n", new BsonDocument("$gte", new BsonInt32(Math.toIntExact(from))));
        var find = session == null ? chunks.find(filter) : chunks.find(session, filter);
        return find.sort(new BsonDocument("n", new BsonInt32(1))).limit(count).into(new ArrayList<>());
    }

    /// The id of the first chunk, which identifies the version of a file's content; empty if it has none.
    Optional<BsonValue> first(@Nullable ClientSession session, BsonValue file) {
        var filter = new BsonDocument("files_id", literal(file)).append("n", new BsonInt32(0));
        var find = session == null ? chunks.find(filter) : chunks.find(session, filter);
        return Optional.ofNullable(find.projection(new BsonDocument("_id", new BsonInt32(1)))
                        .first())
                .map(chunk -> chunk.get("_id"));
    }

    private static BsonValue literal(BsonValue id) {
        return new BsonDocument("$eq", id);
    }
}
