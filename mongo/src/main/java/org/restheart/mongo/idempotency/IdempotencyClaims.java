package org.restheart.mongo.idempotency;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.resource.ResourceNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The records of keyed requests, in a reserved collection of the database that the request writes to. Gateways
/// share them; all times are MongoDB's, so that gateways' clocks do not matter. Thread-safe.
final class IdempotencyClaims {
    /// How long responses are stored; afterwards a key is new again.
    private static final Duration KEPT = Duration.ofDays(1);

    /// After this time an attempt without response is considered failed. Longer than its operations may take.
    static final Duration LEASE = Duration.ofSeconds(30);

    /// How often the TTL index is ensured: it may have been dropped with its database.
    private static final long INDEX_CHECK_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int MAX_DATABASES = 1_000;
    private static final int MAX_ATTEMPTS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyClaims.class);

    private final MongoClient client;
    private final Map<String, Long> indexed = new ConcurrentHashMap<>();

    IdempotencyClaims(MongoClient client) {
        this.client = client;
    }

    /// Claims the request, or returns the state of its existing claim, in one atomic operation. Repeated after lost
    /// connections, since a claim tells its owner.
    ///
    /// @param lease owns the memory of an answer that was stored
    Claim claim(String db, BsonBinary id, BsonBinary fingerprint, Lease lease) {
        ensureIndex(db);
        var owner = new ObjectId();
        var etag = new ObjectId();
        var update = update(fingerprint, owner, etag);
        var record = ConnectionRetry.repeated(() -> upsert(db, id, update));
        if (!record.getBinary("fingerprint").equals(fingerprint)) {
            return new Claim.Different();
        }
        if (record.containsKey("answer")) {
            var answer = record.getDocument("answer");
            return new Claim.Done(StoredResponse.restore(answer, lease));
        }
        var stored = record.getObjectId("etag").getValue();
        return record.getObjectId("owner").getValue().equals(owner)
                ? new Claim.Granted(id, owner, stored, stored.equals(etag))
                : new Claim.Running();
    }

    /// Stores the response, and what it says.
    ///
    /// @return false if another attempt has taken over the claim in the meantime, or a lost connection hid that the
    /// response is stored; what is stored then counts
    boolean complete(String db, Claim.Granted claim, Response.Ready answer) {
        var stored = StoredResponse.of(answer);
        var done = Updates.combine(Updates.set("answer", stored), Updates.unset("until"));
        return ConnectionRetry.repeated(() -> collection(db).updateOne(own(claim), done))
                        .getMatchedCount()
                == 1;
    }

    /// Releases the claim of an attempt that was refused, and has written nothing. The record of the first one is
    /// removed. That of a later one stays, since an earlier attempt may have written: with a new record, the next
    /// retry would write the same documents with other ids.
    void release(String db, Claim.Granted claim) {
        if (claim.isFirst()) {
            collection(db).deleteOne(own(claim));
        } else {
            expire(db, claim);
        }
    }

    /// Lets the next retry execute the request again with the same ids, since it is unknown whether this attempt has
    /// written.
    void expire(String db, Claim.Granted claim) {
        try {
            collection(db).updateOne(own(claim), Updates.currentDate("until"));
        } catch (MongoException e) {
            LOG.debug("a claim stays until its lease ends: {}", e.toString());
        }
    }

    private static Bson own(Claim.Granted claim) {
        return Filters.and(
                Filters.eq("_id", claim.id()), Filters.eq("owner", claim.owner()), Filters.exists("answer", false));
    }

    /// Of two concurrent inserts of the same record one fails, and then finds the record.
    private BsonDocument upsert(String db, BsonBinary id, List<BsonDocument> update) {
        var options = new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER);
        for (int attempt = 1; ; attempt++) {
            try {
                return Objects.requireNonNull(collection(db).findOneAndUpdate(Filters.eq("_id", id), update, options));
            } catch (MongoCommandException e) {
                if (e.getErrorCode() != MongoCodes.DUPLICATE_KEY || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /// Claims a new record, or one of the same request whose lease has expired. All others are unchanged.
    private static List<BsonDocument> update(BsonBinary fingerprint, ObjectId owner, ObjectId etag) {
        var free = call(
                "$and",
                call("$eq", call("$type", field("answer")), new BsonString("missing")),
                call("$eq", call("$ifNull", field("fingerprint"), fingerprint), fingerprint),
                call("$lte", call("$ifNull", field("until"), field("$NOW")), field("$NOW")));
        var until = call("$add", field("$NOW"), new BsonInt64(LEASE.toMillis()));
        return List.of(new BsonDocument(
                "$set",
                new BsonDocument("fingerprint", call("$ifNull", field("fingerprint"), fingerprint))
                        .append("etag", call("$ifNull", field("etag"), new BsonObjectId(etag)))
                        .append("at", call("$ifNull", field("at"), field("$NOW")))
                        .append("owner", call("$cond", free, new BsonObjectId(owner), field("owner")))
                        .append("until", call("$cond", free, until, field("until")))));
    }

    private static BsonDocument call(String operator, BsonValue... arguments) {
        return new BsonDocument(operator, new BsonArray(List.of(arguments)));
    }

    /// The value of a field, or of a variable whose name begins with `$`.
    private static BsonString field(String name) {
        return new BsonString("$" + name);
    }

    private void ensureIndex(String db) {
        var checked = indexed.get(db);
        long now = System.nanoTime();
        if (checked != null && now - checked < INDEX_CHECK_NANOS) {
            return;
        }
        collection(db)
                .createIndex(
                        Indexes.ascending("at"),
                        new IndexOptions().name("expiry").expireAfter(KEPT.toSeconds(), TimeUnit.SECONDS));
        if (indexed.size() >= MAX_DATABASES) {
            indexed.clear();
        }
        indexed.put(db, now);
    }

    /// With majority concern: a failover must not undo a claim.
    private MongoCollection<BsonDocument> collection(String db) {
        return client.getDatabase(db)
                .getCollection(ResourceNames.IDEMPOTENCY, BsonDocument.class)
                .withWriteConcern(BoundedConcern.MAJORITY);
    }

    /// The result of claiming a request.
    sealed interface Claim {
        /// This attempt executes the request.
        ///
        /// @param owner identifies this attempt
        /// @param isFirst whether there was no attempt before
        record Granted(BsonBinary id, ObjectId owner, ObjectId etag, boolean isFirst) implements Claim {}

        /// The request has been executed.
        record Done(Response.Ready answer) implements Claim {}

        /// Another attempt is executing the request.
        record Running() implements Claim {}

        /// The key was used for another request.
        record Different() implements Claim {}
    }

    /// Stored responses: status, headers and the bytes of the content; and what the service that made the request was
    /// told.
    private static final class StoredResponse {
        private StoredResponse() {}

        static BsonDocument of(Response.Ready answer) {
            var headers = new BsonDocument();
            answer.headers().forEach((name, value) -> headers.append(name, new BsonString(value)));
            var document = new BsonDocument("status", new BsonInt32(answer.status())).append("headers", headers);
            answer.said(DataWrite.Report.class)
                    .ifPresent(told -> document.append(
                            "report",
                            new BsonDocument("inserted", new BsonArray(told.inserted()))
                                    .append("errors", new BsonArray(told.errors()))));
            return switch (answer.content()) {
                case Content.None() -> document;
                case Content.Bytes(var buffer, var _) -> {
                    var bytes = new byte[buffer.remaining()];
                    buffer.duplicate().get(bytes);
                    yield document.append("content", new BsonBinary(bytes));
                }
                case Content.Streamed _, Content.Push _ -> throw new IllegalStateException("an answer without an end");
            };
        }

        static Response.Ready restore(BsonDocument document, Lease lease) {
            var headers = Fields.NONE;
            for (var header : document.getDocument("headers").entrySet()) {
                headers = headers.plus(
                        header.getKey(), header.getValue().asString().getValue());
            }
            var answer = Response.status(document.getInt32("status").getValue()).with(headers);
            if (document.get("report") instanceof BsonDocument told) {
                answer = answer.saying(DataWrite.Report.inserted(
                        told.getArray("inserted").getValues(),
                        told.getArray("errors").stream()
                                .map(BsonValue::asDocument)
                                .toList()));
            }
            return document.containsKey("content")
                    ? answer.with(Content.Bytes.of(document.getBinary("content").getData(), lease))
                    : answer;
        }
    }
}
