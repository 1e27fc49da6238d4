package org.restheart.rest.idempotency;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
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
import org.restheart.http.Digests;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.Via;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.idempotency.Creation.NewIds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST /{db}/{collection}` with an `Idempotency-Key`: executed once; each retry gets the same response
/// (draft-ietf-httpapi-idempotency-key-header). See docs/decisions/0006. Thread-safe.
public final class KeyedPost implements DataHandler {
    /// The time limit of each operation of one attempt, and of all writes of an array together, but for the
    /// last one that waits for a transaction: an attempt must not write after its claim has been taken over.
    public static final Duration OPERATION_TIME = Duration.ofSeconds(12);

    /// How long a retry waits for the current attempt.
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final long MAX_PAUSE_MILLIS = 100;

    /// The response to this many elements, of this many bytes, fits into a record.
    private static final int MAX_ELEMENTS = 5_000;

    private static final long MAX_CONTENT = 2 << 20;

    private static final int TIMESTAMP_BYTES = 4;

    private final Creation creation;
    private final IdempotencyClaims claims;
    private final boolean accounts;

    /// @param creation has no operation longer than [#OPERATION_TIME]
    /// @param accounts whether callers can authenticate: keys then belong to accounts
    public KeyedPost(Creation creation, MongoClient client, boolean accounts) {
        this.creation = creation;
        this.accounts = accounts;
        this.claims = new IdempotencyClaims(client);
    }

    /// Whether a request has a key. Cheap, since it is called for all inserts.
    public static boolean isKeyed(Request request) {
        return request.headers().has(Key.HEADER);
    }

    @Override
    public Response handle(DataRequest request) {
        var key = Key.of(request.http().headers()).orElseThrow();
        request.http().requireThread();
        checkSuitable(request);
        var db = request.path().requireDb();
        var id = key.claim(request);
        var fingerprint = key.fingerprint(request);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (long pause = 5; ; pause = Math.min(2 * pause, MAX_PAUSE_MILLIS)) {
            switch (claims.claim(db, id, fingerprint, request.http().lease())) {
                case IdempotencyClaims.Claim.Done(var answer) -> {
                    return answer;
                }
                case IdempotencyClaims.Claim.Different() ->
                    throw new ProblemException(UNPROCESSABLE, "this Idempotency-Key was used for another request");
                case IdempotencyClaims.Claim.Granted granted -> {
                    var unfinished = new AtomicBoolean();
                    var answer = carryOut(request, granted, unfinished);
                    boolean again = answer.status() >= 500 || unfinished.get();
                    if (again) {
                        claims.expire(db, granted);
                    }
                    if (again || claims.complete(db, granted, answer)) {
                        return answer;
                    }
                    continue; // the answer may be stored, though the reply that says so was lost
                }
                case IdempotencyClaims.Claim.Running() -> {}
            }
            if (System.nanoTime() > deadline) {
                throw Problem.of(CONFLICT, "a request with this Idempotency-Key is still being carried out")
                        .with("Retry-After", "1")
                        .raise();
            }
            pause(pause);
        }
    }

    /// @param unfinished set if the attempt has left documents out
    private Response.Ready carryOut(
            DataRequest request, IdempotencyClaims.Claim.Granted claim, AtomicBoolean unfinished) {
        var most = Optional.of(OPERATION_TIME);
        var ids = new NewIds(claim.etag(), sequence(claim), true, Optional.empty(), most, () -> unfinished.set(true));
        try {
            return creation.handle(request, ids).settled();
        } catch (ProblemException refused) { // nothing was written; after any other failure that is unknown
            claims.release(request.path().requireDb(), claim);
            throw refused;
        } catch (MongoException unknown) {
            claims.expire(request.path().requireDb(), claim);
            throw unknown;
        }
    }

    /// Anonymous callers would share their keys: one would get the response of another, and its document
    /// would not be stored.
    ///
    /// @throws ProblemException 400 if the request cannot have a key, 413 if its array is too large
    private void checkSuitable(DataRequest request) {
        if (accounts && request.http().caller().account().isEmpty()) {
            throw new ProblemException(
                    BAD_REQUEST, "an Idempotency-Key needs an account, to which it belongs; send an _id instead");
        }
        if (request.session().filter(ClientSession::hasActiveTransaction).isPresent()) {
            throw new ProblemException(
                    BAD_REQUEST,
                    "an Idempotency-Key cannot be used in a transaction, which may be aborted after the response;"
                            + " send an _id instead");
        }
        var content = request.content();
        if (request.parameters()
                .concerns()
                .writeConcern()
                .filter(concern -> !concern.isAcknowledged())
                .isPresent()) {
            throw new ProblemException(BAD_REQUEST, "an Idempotency-Key needs an acknowledged write concern");
        }
        if (content.isArray()
                && (content.asArray().size() > MAX_ELEMENTS
                        || request.http().body().isLongerThan(MAX_CONTENT))) {
            throw new ProblemException(
                    CONTENT_TOO_LARGE,
                    "an array with an Idempotency-Key has at most " + MAX_ELEMENTS + " elements and " + MAX_CONTENT
                            + " bytes");
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while another attempt was under way", e);
        }
    }

    /// The ids of one claim: every attempt writes the same documents. Ids begin with the time of the claim,
    /// as MongoDB's own do; the rest is a digest of claim, tag and position.
    private static Supplier<BsonObjectId> sequence(IdempotencyClaims.Claim.Granted claim) {
        var position = new int[1];
        return () -> id(claim, position[0]++);
    }

    private static BsonObjectId id(IdempotencyClaims.Claim.Granted claim, int position) {
        var bytes = claim.etag().toByteArray();
        var sha256 = Digests.sha256();
        sha256.update(claim.id().getData());
        sha256.update(bytes);
        var digest = sha256.digest(
                ByteBuffer.allocate(Integer.BYTES).putInt(position).array());
        System.arraycopy(digest, 0, bytes, TIMESTAMP_BYTES, bytes.length - TIMESTAMP_BYTES);
        return new BsonObjectId(new ObjectId(bytes));
    }

    /// The key by which a client can retry an insert safely (draft-ietf-httpapi-idempotency-key-header, 2.1):
    /// a quoted string (RFC 9651, 3.3.3). Quotes may be omitted, since many clients do so.
    private record Key(String value) {
        static final String HEADER = "Idempotency-Key";

        /// A UUID has 36 characters.
        private static final int MAX_LENGTH = 255;

        /// @throws org.restheart.http.ProblemException 400 for more than one key, or one that is empty,
        ///     longer than 255 characters or not printable ASCII
        static Optional<Key> of(Headers headers) {
            var sent = headers.all(HEADER);
            if (sent.isEmpty()) {
                return Optional.empty();
            }
            if (sent.size() > 1) {
                throw refusal("there must be one " + HEADER + " only");
            }
            return Optional.of(new Key(unquoted(sent.getFirst().strip())));
        }

        private static String unquoted(String text) {
            boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
            var value = quoted ? text.substring(1, text.length() - 1) : text;
            if (value.isEmpty()
                    || value.length() > MAX_LENGTH
                    || value.chars().anyMatch(c -> c < ' ' || c > '~' || c == '"')) {
                throw refusal(HEADER + " must have from 1 to " + MAX_LENGTH + " printable ASCII characters");
            }
            return value;
        }

        private static RuntimeException refusal(String message) {
            return new ProblemException(ProblemCode.BAD_REQUEST, message);
        }

        /// Identifies a claim by caller, collection and key. Neither keys nor content are stored.
        BsonBinary claim(DataRequest request) {
            var sha256 = Digests.sha256();
            add(sha256, request.http().caller().identity());
            add(sha256, request.namespace().getFullName());
            add(sha256, value);
            return new BsonBinary(sha256.digest());
        }

        /// Identifies a request by query, media type, content, and by whether a service is told of its
        /// outcome, which is stored only then. Without the key it cannot be used to test guesses of the
        /// content, such as a password.
        BsonBinary fingerprint(DataRequest request) {
            var http = request.http();
            var sha256 = Digests.sha256();
            add(sha256, value);
            add(sha256, http.query().raw());
            add(sha256, http.headers().first("Content-Type").orElse(""));
            add(sha256, Via.isService(http) ? "reported" : "");
            sha256.update(http.body().bytes());
            return new BsonBinary(sha256.digest());
        }

        /// With its length, so that different lists of texts have different digests.
        private static void add(MessageDigest digest, String text) {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            digest.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            digest.update(bytes);
        }
    }

    /// The records of keyed requests, in a reserved collection of the database that the request writes to.
    /// Gateways share them; all times are MongoDB's, so that gateways' clocks do not matter. Thread-safe.
    private static final class IdempotencyClaims {
        /// How long responses are stored; afterwards a key is new again.
        private static final Duration KEPT = Duration.ofDays(1);

        /// After this time an attempt without response is considered failed. Longer than its operations may
        /// take.
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

        /// Claims the request, or returns the state of its existing claim, in one atomic operation. Repeated
        /// after lost connections, since a claim tells its owner.
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
        /// @return false if another attempt has taken over the claim in the meantime, or a lost connection
        ///     hid that the response is stored; what is stored then counts
        boolean complete(String db, Claim.Granted claim, Response.Ready answer) {
            var stored = StoredResponse.of(answer);
            var done = Updates.combine(Updates.set("answer", stored), Updates.unset("until"));
            return ConnectionRetry.repeated(() -> collection(db).updateOne(own(claim), done))
                            .getMatchedCount()
                    == 1;
        }

        /// Releases the claim of an attempt that was refused, and has written nothing. The record of the
        /// first one is removed. That of a later one stays, since an earlier attempt may have written: with a
        /// new record, the next retry would write the same documents with other ids.
        void release(String db, Claim.Granted claim) {
            if (claim.isFirst()) {
                collection(db).deleteOne(own(claim));
            } else {
                expire(db, claim);
            }
        }

        /// Lets the next retry execute the request again with the same ids, since it is unknown whether this
        /// attempt has written.
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
                    return Objects.requireNonNull(
                            collection(db).findOneAndUpdate(Filters.eq("_id", id), update, options));
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

        /// Stored responses: status, headers and the bytes of the content; and what the service that made the
        /// request was told.
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
                    case Content.Streamed _, Content.Push _ ->
                        throw new IllegalStateException("an answer without an end");
                };
            }

            static Response.Ready restore(BsonDocument document, Lease lease) {
                var headers = Fields.NONE;
                for (var header : document.getDocument("headers").entrySet()) {
                    headers = headers.plus(
                            header.getKey(), header.getValue().asString().getValue());
                }
                var answer =
                        Response.status(document.getInt32("status").getValue()).with(headers);
                if (document.get("report") instanceof BsonDocument told) {
                    answer = answer.saying(DataWrite.Report.inserted(
                            told.getArray("inserted").getValues(),
                            told.getArray("errors").stream()
                                    .map(BsonValue::asDocument)
                                    .toList()));
                }
                return document.containsKey("content")
                        ? answer.with(
                                Content.Bytes.of(document.getBinary("content").getData(), lease))
                        : answer;
            }
        }
    }
}
