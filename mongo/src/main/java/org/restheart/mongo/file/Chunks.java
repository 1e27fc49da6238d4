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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
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

    /// The longest search for chunks without a file.
    private static final Duration SCAN = Duration.ofMinutes(10);

    private static final BsonDocument ID = new BsonDocument("_id", new BsonInt32(1));

    private static final BsonDocument KEY =
            new BsonDocument("files_id", new BsonInt32(1)).append("n", new BsonInt32(1));

    /// The id under which a chunk was stored before it was moved. Other drivers ignore the field.
    private static final String MOVED_FROM = "movedFrom";

    /// Chunks per command of a long operation: 128 MiB, if they have the usual size.
    private static final int MANY = 500;

    private final MongoCollection<BsonDocument> files;
    private final MongoCollection<BsonDocument> chunks;

    Chunks(MongoDatabase database, String files, WriteConcern writeConcern) {
        var concern = writeConcern.isAcknowledged() ? writeConcern : WriteConcern.W1;
        this.files = collection(database, files, concern);
        this.chunks = collection(database, files.substring(0, files.length() - ".files".length()) + ".chunks", concern);
    }

    private static MongoCollection<BsonDocument> collection(MongoDatabase database, String name, WriteConcern concern) {
        return database.getCollection(name, BsonDocument.class)
                .withReadPreference(ReadPreference.primary())
                .withWriteConcern(concern);
    }

    static Chunks of(Collections collections, DataRequest request) {
        return new Chunks(
                collections.database(request.path().requireDb()),
                request.path().requireCollection(),
                collections.of(request).getWriteConcern());
    }

    /// The documents of the files.
    MongoCollection<BsonDocument> files() {
        return files;
    }

    void ensureIndexes() {
        chunks.createIndex(KEY, new IndexOptions().unique(true));
        files.createIndex(new BsonDocument("filename", new BsonInt32(1)).append("uploadDate", new BsonInt32(1)));
    }

    /// @throws com.mongodb.MongoException with a duplicate key if another upload has the id
    void insert(List<BsonDocument> documents) {
        chunks.insertMany(documents);
    }

    /// Removes chunks by their own ids, unless they have been moved to another file.
    void delete(BsonValue file, List<? extends BsonValue> ids) {
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
                        .projection(ID)
                        .first())
                .map(chunk -> chunk.get("_id"))
                .filter(BsonValue::isObjectId)
                .map(id -> id.asObjectId().getValue());
    }

    /// Whether a file has the chunks of this id.
    boolean isVisible(BsonValue file) {
        return files.find(new BsonDocument("_id", literal(file))).projection(ID).first() != null;
    }

    /// Moves the chunks of one id to another, replacing the chunks of the latter.
    void move(ClientSession session, BsonValue from, BsonValue to) {
        chunks.deleteMany(session, new BsonDocument("files_id", literal(to)));
        chunks.updateMany(
                session,
                new BsonDocument("files_id", literal(from)),
                new BsonDocument("$set", new BsonDocument("files_id", to)));
    }

    /// The ids of the chunks of a file that were not moved from an id to it.
    List<BsonValue> notMovedFrom(BsonValue from, BsonValue file) {
        return ids(
                new BsonDocument("files_id", literal(file)).append(MOVED_FROM, new BsonDocument("$ne", from)),
                Integer.MAX_VALUE);
    }

    /// Moves the chunks of one id to another, some at a time. May be repeated, and done by several at a time.
    ///
    /// @throws com.mongodb.MongoException with a duplicate key if the latter has other chunks
    void moveInSteps(BsonValue from, BsonValue to) {
        var set = new BsonDocument("$set", new BsonDocument("files_id", to).append(MOVED_FROM, from));
        var left = new BsonDocument("files_id", literal(from));
        for (var some = ids(left, MANY); !some.isEmpty(); some = ids(left, MANY)) {
            chunks.updateMany(
                    new BsonDocument("_id", new BsonDocument("$in", new BsonArray(some)))
                            .append("files_id", literal(from)),
                    set);
        }
    }

    /// Removes chunks that no mark names any more, also those that were moved to a file that has been deleted.
    void deleteMoved(BsonValue from, BsonValue to) {
        chunks.deleteMany(new BsonDocument("files_id", literal(from)));
        if (!isVisible(to)) {
            chunks.deleteMany(new BsonDocument("files_id", literal(to)).append(MOVED_FROM, literal(from)));
        }
    }

    private List<BsonValue> ids(BsonDocument filter, int limit) {
        return chunks.find(filter)
                .sort(new BsonDocument("n", new BsonInt32(1)))
                .limit(limit == Integer.MAX_VALUE ? 0 : limit)
                .projection(ID)
                .map(chunk -> Objects.requireNonNull(chunk.get("_id")))
                .into(new ArrayList<>());
    }

    /// The ids of chunks that no file has, such as those of uploads under way. Takes some microseconds for each file.
    List<BsonValue> withoutFile() {
        var stages = List.of(
                new BsonDocument("$sort", KEY),
                new BsonDocument("$group", new BsonDocument("_id", new BsonString("$files_id"))),
                new BsonDocument(
                        "$lookup",
                        new BsonDocument(
                                        "from",
                                        new BsonString(files.getNamespace().getCollectionName()))
                                .append("localField", new BsonString("_id"))
                                .append("foreignField", new BsonString("_id"))
                                .append("pipeline", new BsonArray(List.of(new BsonDocument("$project", ID))))
                                .append("as", new BsonString("file"))),
                new BsonDocument("$match", new BsonDocument("file", new BsonArray())));
        return chunks.aggregate(stages)
                .maxTime(SCAN.toMillis(), TimeUnit.MILLISECONDS)
                .map(group -> Objects.requireNonNull(group.get("_id")))
                .into(new ArrayList<>());
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
        return Optional.ofNullable(find.projection(ID).first()).map(chunk -> chunk.get("_id"));
    }

    private static BsonValue literal(BsonValue id) {
        return new BsonDocument("$eq", id);
    }
}
