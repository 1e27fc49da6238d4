package org.restheart.mongo.write;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.ResourceNames;

/// Computes what an update makes of documents without storing that, where a change that turns out to be refused
/// could not be undone: on servers without transactions, and within a transaction of a client, which another request
/// of the client can commit at any time. MongoDB carries it out on copies, in a collection that no request can name:
/// one that exists for one request or, where there are transactions, one that is never committed. Who has checked the
/// result replaces the stored document by it, if that is still [#unchanged]. Confined to one request.
record DryRun(MongoClient client, MongoDatabase database, BsonDocument create, MongoCollection<RawBsonDocument> copies)
        implements AutoCloseable {
    /// How often an update is tried again because the stored document has changed meanwhile.
    private static final int MAX_ATTEMPTS = 10;

    /// Collections of gateways that have crashed are removed after this time, which no request takes.
    private static final Duration ABANDONED = Duration.ofHours(1);

    /// A command may have 16 MiB of documents, and some KiB more.
    private static final int MAX_BYTES = 16 << 20;

    /// Texts are equal only if their bytes are, whatever the collection's collation.
    static final ReplaceOptions OF_UNCHANGED =
            new ReplaceOptions().collation(Collation.builder().locale("simple").build());

    private static final BsonString ROOT = new BsonString("$$ROOT");

    /// Copies of documents, to which writes may be applied.
    ///
    /// @param session of all operations, if there is one
    record Copies(MongoCollection<RawBsonDocument> collection, Optional<ClientSession> session) {
        SessionCollection inSession() {
            return new SessionCollection(collection, session);
        }
    }

    /// @param target whose collation decides which values a filter takes for equal
    static DryRun open(MongoClient client, MongoNamespace target) {
        var database = client.getDatabase(target.getDatabaseName())
                .withWriteConcern(WriteConcern.W1)
                .withReadPreference(ReadPreference.primary());
        var create = new BsonDocument("create", new BsonString(ResourceNames.DRY_RUNS + new ObjectId().toHexString()));
        for (var found : collections(database, target.getCollectionName())) {
            var other = found.getString("name").getValue();
            if (other.equals(target.getCollectionName())) {
                Optional.ofNullable(found.getDocument("options").get("collation"))
                        .ifPresent(collation -> create.append("collation", collation));
            } else if (isAbandoned(other)) {
                database.getCollection(other).drop();
            }
        }
        if (!Transaction.isSupported(client)) {
            database.runCommand(create);
        }
        var copies = database.getCollection(create.getString("create").getValue(), RawBsonDocument.class);
        return new DryRun(client, database, create, copies);
    }

    private static Iterable<BsonDocument> collections(MongoDatabase database, String target) {
        return database.listCollections(BsonDocument.class)
                .filter(Filters.or(
                        Filters.eq("name", target),
                        Filters.regex("name", "^" + Pattern.quote(ResourceNames.DRY_RUNS))));
    }

    private static boolean isAbandoned(String name) {
        var id = name.substring(ResourceNames.DRY_RUNS.length());
        return ObjectId.isValid(id)
                && new ObjectId(id).getDate().toInstant().isBefore(Instant.now().minus(ABANDONED));
    }

    /// The document as an update would leave it.
    ///
    /// @param stored null where the update inserts the document
    /// @param update carries it out on the collection with the copy alone; false if its filter did not match
    ///     that; may be called several times
    RawBsonDocument result(@Nullable RawBsonDocument stored, BsonValue id, Predicate<Copies> update) {
        return attempt(stored, Ids.equal(id), update).orElseThrow(DryRun::unmatched);
    }

    /// For filters that match documents in their collection and not their copies.
    static ProblemException unmatched() {
        return new ProblemException(
                METHOD_NOT_ALLOWED, "such a filter needs a MongoDB replica set, and no transaction");
    }

    /// As [#result]; empty if the update's filter did not match the copy.
    ///
    /// @param byId matches the document and no other
    Optional<RawBsonDocument> attempt(@Nullable RawBsonDocument stored, BsonDocument byId, Predicate<Copies> update) {
        return with(
                stored == null ? List.of() : List.of(stored),
                copies -> update.test(copies)
                        ? Optional.of(Objects.requireNonNull(
                                copies.inSession().find(byId).first()))
                        : Optional.empty());
    }

    /// Does something with copies of documents, which are gone afterwards.
    ///
    /// @param use may be called several times
    <T> T with(List<RawBsonDocument> stored, Function<Copies, T> use) {
        if (Transaction.isSupported(client)) {
            return Transaction.undone(client, session -> {
                database.runCommand(session, create);
                if (!stored.isEmpty()) {
                    copies.insertMany(session, stored);
                }
                return use.apply(new Copies(copies, Optional.of(session)));
            });
        }
        if (!stored.isEmpty()) {
            copies.insertMany(stored);
        }
        var result = use.apply(new Copies(copies, Optional.empty()));
        copies.deleteMany(new BsonDocument());
        return result;
    }

    /// Carries out an attempt until it has a result: it has none if the stored document has changed meanwhile.
    static <T> T untilUnchanged(Supplier<Optional<T>> attempt) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            var result = attempt.get();
            if (result.isPresent()) {
                return result.get();
            }
            Transaction.pause(i);
        }
        throw Transaction.changesTooOften();
    }

    /// Replaces a document by its result, if it is still [#unchanged].
    static ReplaceOneModel<RawBsonDocument> replacement(
            RawBsonDocument stored, RawBsonDocument result, boolean inTransaction) {
        return new ReplaceOneModel<>(unchanged(stored, result, inTransaction), result, OF_UNCHANGED);
    }

    /// Matches a document that is byte for byte what was read, but for the types of equal numbers of one size.
    /// To be used with [#OF_UNCHANGED]. Within a transaction, where no other client can change the document,
    /// a large one is compared by its size.
    ///
    /// @throws org.restheart.http.ProblemException 405 for documents that do not fit into one command with
    ///     their replacement
    static BsonDocument unchanged(RawBsonDocument stored, RawBsonDocument replacement, boolean inTransaction) {
        var size = equal(new BsonDocument("$bsonSize", ROOT), new BsonInt32(stored.getByteLength()));
        var byId = Ids.equal(Objects.requireNonNull(stored.get("_id")));
        if (stored.getByteLength() + replacement.getByteLength() > MAX_BYTES) {
            if (inTransaction) {
                return byId.append("$expr", size);
            }
            throw new ProblemException(
                    METHOD_NOT_ALLOWED, "changes of documents of this size need a MongoDB replica set");
        }
        var same = List.of(equal(ROOT, new BsonDocument("$literal", stored)), size);
        return byId.append("$expr", new BsonDocument("$and", new BsonArray(same)));
    }

    private static BsonDocument equal(BsonValue left, BsonValue right) {
        return new BsonDocument("$eq", new BsonArray(List.of(left, right)));
    }

    @Override
    public void close() {
        if (!Transaction.isSupported(client)) {
            copies.drop();
        }
    }
}
