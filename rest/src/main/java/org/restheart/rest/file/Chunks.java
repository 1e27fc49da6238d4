package org.restheart.rest.file;

import static org.restheart.bson.BsonValues.object;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.InsertManyOptions;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.RequestCollections;

/// The chunks of one bucket, in the format of the GridFS specification.
///
/// The chunks of an upload are stored under [an id of its own][#newUpload], which no other request can name, and get
/// the id of a file that a client has named in the transaction that creates or replaces the file, or by
/// [ContentMoves]. So requests for this file cannot remove them. The chunks of a file are removed by their own ids,
/// the first one last: because of the unique index, no other file gets its id before.
final class Chunks {
    /// Content arrives at 500 bytes per second at least, so that an active upload never pauses longer between two
    /// chunks.
    private static final Duration ABANDONED = Duration.ofHours(1);

    /// The longest search for chunks without a file.
    private static final Duration SCAN = Duration.ofMinutes(10);

    private static final BsonDocument ID = object("_id", 1);
    private static final BsonDocument KEY = object("files_id", 1, "n", 1);

    /// The id under which a chunk was stored before it was moved. Other drivers ignore the field.
    private static final String MOVED_FROM = "movedFrom";

    /// Chunks per command of a long operation: 128 MiB, if they have the usual size.
    private static final int MANY = 500;

    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final MongoDatabase database;
    private final MongoCollection<BsonDocument> files;
    private final MongoCollection<BsonDocument> chunks;

    Chunks(MongoDatabase database, String files, WriteConcern writeConcern) {
        this.database = database;
        var concern = writeConcern.isAcknowledged() ? writeConcern : WriteConcern.W1;
        this.files = collection(database, files, concern);
        this.chunks = collection(database, files.substring(0, files.length() - ".files".length()) + ".chunks", concern);
    }

    private static MongoCollection<BsonDocument> collection(MongoDatabase database, String name, WriteConcern concern) {
        return database.getCollection(name, BsonDocument.class)
                .withReadPreference(ReadPreference.primary())
                .withWriteConcern(concern);
    }

    static Chunks of(RequestCollections collections, DataRequest request) {
        return new Chunks(
                collections.database(request.path().requireDb()),
                request.path().requireCollection(),
                collections.of(request).getWriteConcern());
    }

    MongoCollection<BsonDocument> files() {
        return files;
    }

    /// @throws org.restheart.http.ProblemException 503 if they are missing and transactions hold the collection
    void ensureIndexes() {
        CollectionLock.createIndexes(database, chunks, List.of(new IndexModel(KEY, new IndexOptions().unique(true))));
        CollectionLock.createIndexes(
                database,
                files,
                List.of(
                        new IndexModel(object("filename", 1, "uploadDate", 1)),
                        new IndexModel(
                                object(ContentMoves.MARK, 1),
                                new IndexOptions()
                                        .partialFilterExpression(object(ContentMoves.MARK, object("$exists", true))))));
    }

    /// The id of an upload, and of its file if no other one is given. Unlike other ObjectIds, which are counted, it
    /// cannot be guessed.
    static BsonObjectId newUpload() {
        var id = ByteBuffer.allocate(12);
        id.putInt((int) Instant.now().getEpochSecond()).putLong(RANDOM.nextLong());
        return new BsonObjectId(new ObjectId(id.array()));
    }

    /// Chunks with ids that no other request knows: one that is there already has been stored by an attempt whose
    /// connection was lost.
    void insert(List<BsonDocument> documents) {
        var attempts = new AtomicInteger();
        ConnectionRetry.repeated(() -> {
            boolean first = attempts.getAndIncrement() == 0;
            try {
                return chunks.insertMany(documents, UNORDERED);
            } catch (MongoBulkWriteException e) {
                if (first || e.getWriteConcernError() != null || !areDuplicates(e.getWriteErrors())) {
                    throw e;
                }
                return e.getWriteResult();
            }
        });
    }

    private static boolean areDuplicates(List<BulkWriteError> errors) {
        return errors.stream().allMatch(error -> error.getCode() == MongoCodes.DUPLICATE_KEY);
    }

    /// @throws com.mongodb.MongoException with a duplicate key if there are others of the id
    void insert(ClientSession session, List<BsonDocument> documents) {
        chunks.insertMany(session, documents);
    }

    long count(BsonValue file) {
        return ConnectionRetry.repeated(() -> chunks.countDocuments(object("files_id", literal(file))));
    }

    /// Removes chunks by their own ids, unless they have been moved to another file.
    void delete(BsonValue file, List<? extends BsonValue> ids) {
        for (int from = 0; from < ids.size(); from += 1_000) {
            var some = new BsonArray(ids.subList(from, Math.min(ids.size(), from + 1_000)));
            chunks.deleteMany(new BsonDocument("_id", new BsonDocument("$in", some)).append("files_id", literal(file)));
        }
    }

    /// Removes chunks of an aborted upload; false if the upload may still be active, or there is a file of them:
    /// an upload may take hours, in which another client may create that file.
    boolean reclaim(BsonValue file) {
        var newest = newest(file);
        if (newest.isEmpty()
                || newest.get().getDate().toInstant().isAfter(Instant.now().minus(ABANDONED))
                || isVisible(file)) {
            return false;
        }
        chunks.deleteMany(object("files_id", literal(file), "_id", object("$lte", new BsonObjectId(newest.get()))));
        return true;
    }

    /// The id of the last chunk, if it is an ObjectId.
    private Optional<ObjectId> newest(BsonValue file) {
        return Optional.ofNullable(chunks.find(object("files_id", literal(file)))
                        .sort(object("n", -1))
                        .projection(ID)
                        .first())
                .map(chunk -> chunk.get("_id"))
                .filter(BsonValue::isObjectId)
                .map(id -> id.asObjectId().getValue());
    }

    /// Whether a file has the chunks of this id.
    boolean isVisible(BsonValue file) {
        return isThere(files, object("_id", literal(file)), ID);
    }

    /// Whether a client may name a new file so: neither are there chunks of the id, such as those that other drivers
    /// store before the file, nor is it that of chunks which are being moved. Removes chunks of an aborted upload.
    boolean isFree(BsonValue file) {
        boolean chunked =
                isThere(chunks, object("files_id", literal(file)), KEY.clone().append("_id", new BsonInt32(0)));
        return (!chunked || isVisible(file) || reclaim(file))
                && !isThere(files, object(ContentMoves.MARK, literal(file)), ID);
    }

    private static boolean isThere(
            MongoCollection<BsonDocument> collection, BsonDocument filter, BsonDocument projection) {
        return ConnectionRetry.repeated(
                () -> collection.find(filter).projection(projection).first() != null);
    }

    /// Removes the chunks of a file that is replaced.
    void delete(ClientSession session, BsonValue file) {
        chunks.deleteMany(session, object("files_id", literal(file)));
    }

    /// @throws com.mongodb.MongoException with a duplicate key if there are others of the latter
    void move(ClientSession session, BsonValue from, BsonValue to) {
        chunks.updateMany(session, object("files_id", literal(from)), object("$set", object("files_id", to)));
    }

    /// The ids of the chunks of a file that were not moved from an id to it.
    List<BsonValue> notMovedFrom(BsonValue from, BsonValue file) {
        return ids(object("files_id", literal(file), MOVED_FROM, object("$ne", from)), Integer.MAX_VALUE);
    }

    /// Moves the chunks of one id to another, some at a time. May be repeated, and done by several at a time.
    ///
    /// @throws com.mongodb.MongoException with a duplicate key if the latter has other chunks
    void moveInSteps(BsonValue from, BsonValue to) {
        var set = object("$set", object("files_id", to, MOVED_FROM, from));
        var left = object("files_id", literal(from));
        for (var some = ids(left, MANY); !some.isEmpty(); some = ids(left, MANY)) {
            chunks.updateMany(object("_id", object("$in", some), "files_id", literal(from)), set);
        }
    }

    /// Removes chunks that no mark names any more, also those that were moved to a file that has been deleted.
    void deleteMoved(BsonValue from, BsonValue to) {
        chunks.deleteMany(object("files_id", literal(from)));
        if (!isVisible(to)) {
            chunks.deleteMany(object("files_id", literal(to), MOVED_FROM, literal(from)));
        }
    }

    /// The ids of the chunks of a file, the first one first.
    List<BsonValue> ids(BsonValue file) {
        return ids(object("files_id", literal(file)), Integer.MAX_VALUE);
    }

    private List<BsonValue> ids(BsonDocument filter, int limit) {
        return chunks.find(filter)
                .sort(object("n", 1))
                .limit(limit == Integer.MAX_VALUE ? 0 : limit)
                .projection(ID)
                .map(chunk -> Objects.requireNonNull(chunk.get("_id")))
                .into(new ArrayList<>());
    }

    /// The ids of chunks that no file has, such as those of uploads under way. Takes some microseconds for each file.
    MongoIterable<BsonValue> withoutFile() {
        var lookUp = object(
                "from",
                files.getNamespace().getCollectionName(),
                "localField",
                "_id",
                "foreignField",
                "_id",
                "pipeline",
                List.of(object("$project", ID)),
                "as",
                "file");
        var stages = List.of(
                object("$sort", KEY),
                object("$group", object("_id", "$files_id")),
                object("$lookup", lookUp),
                object("$match", object("file", List.of())));
        return chunks.aggregate(stages)
                .maxTime(SCAN.toMillis(), TimeUnit.MILLISECONDS)
                .map(group -> Objects.requireNonNull(group.get("_id")));
    }

    /// @param session null for the current state
    List<BsonDocument> read(@Nullable ClientSession session, BsonValue file, long from, int count) {
        var filter = object("files_id", literal(file), "n", object("$gte", Math.toIntExact(from)));
        var find = session == null ? chunks.find(filter) : chunks.find(session, filter);
        find.sort(object("n", 1)).limit(count);
        return ConnectionRetry.repeated(() -> find.into(new ArrayList<>()));
    }

    /// The id of the first chunk, which identifies the version of a file's content; empty if it has none.
    Optional<BsonValue> first(@Nullable ClientSession session, BsonValue file) {
        var filter = object("files_id", literal(file), "n", 0);
        var find = session == null ? chunks.find(filter) : chunks.find(session, filter);
        find.projection(ID);
        return Optional.ofNullable(ConnectionRetry.repeated(find::first)).map(chunk -> chunk.get("_id"));
    }

    /// A condition of equality, also with a document or an expression.
    static BsonValue literal(BsonValue id) {
        return object("$eq", id);
    }
}
