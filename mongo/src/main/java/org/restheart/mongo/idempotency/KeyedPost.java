package org.restheart.mongo.idempotency;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.bson.BsonBinary;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.http.Digests;
import org.restheart.http.Headers;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.Via;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.idempotency.Creation.NewIds;
import org.restheart.mongo.idempotency.IdempotencyClaims.Claim;

/// `POST /{db}/{collection}` with an `Idempotency-Key`: executed once; each retry gets the same response
/// (draft-ietf-httpapi-idempotency-key-header). See docs/decisions/0006. Thread-safe.
public final class KeyedPost implements DataHandler {
    /// The time limit of each operation of one attempt, and of all writes of an array together, but for the last one
    /// that waits for a transaction: an attempt must not write after its claim has been taken over.
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

    /// @param creation responds synchronously, with no operation longer than [#OPERATION_TIME]
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
                case Claim.Done(var answer) -> {
                    return answer;
                }
                case Claim.Different() ->
                    throw new ProblemException(UNPROCESSABLE, "this Idempotency-Key was used for another request");
                case Claim.Granted granted -> {
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
                case Claim.Running() -> {}
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
    private Response.Ready carryOut(DataRequest request, Claim.Granted claim, AtomicBoolean unfinished) {
        var ids = new NewIds(claim.etag(), sequence(claim), true, () -> unfinished.set(true));
        try {
            return switch (creation.handle(request, ids)) {
                case Response.Ready ready -> ready;
                case Response.Deferred<?> _ -> throw new IllegalStateException("a keyed insert goes alone");
            };
        } catch (ProblemException refused) { // nothing was written; after any other failure that is unknown
            claims.release(request.path().requireDb(), claim);
            throw refused;
        } catch (MongoException unknown) {
            claims.expire(request.path().requireDb(), claim);
            throw unknown;
        }
    }

    /// Anonymous callers would share their keys: one would get the response of another, and its document would not be
    /// stored.
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

    /// The ids of one claim: every attempt writes the same documents. Ids begin with the time of the claim, as
    /// MongoDB's own do; the rest is a digest of claim, tag and position.
    private static Supplier<BsonObjectId> sequence(Claim.Granted claim) {
        var position = new int[1];
        return () -> id(claim, position[0]++);
    }

    private static BsonObjectId id(Claim.Granted claim, int position) {
        var bytes = claim.etag().toByteArray();
        var sha256 = Digests.sha256();
        sha256.update(claim.id().getData());
        sha256.update(bytes);
        var digest = sha256.digest(
                ByteBuffer.allocate(Integer.BYTES).putInt(position).array());
        System.arraycopy(digest, 0, bytes, TIMESTAMP_BYTES, bytes.length - TIMESTAMP_BYTES);
        return new BsonObjectId(new ObjectId(bytes));
    }

    /// The key by which a client can retry an insert safely (draft-ietf-httpapi-idempotency-key-header, 2.1): a quoted
    /// string (RFC 9651, 3.3.3). Quotes may be omitted, since many clients do so.
    private record Key(String value) {
        static final String HEADER = "Idempotency-Key";

        /// A UUID has 36 characters.
        private static final int MAX_LENGTH = 255;

        /// @throws org.restheart.http.ProblemException 400 for more than one key, or one that is empty, longer than
        ///     255 characters or not printable ASCII
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

        /// Identifies a request by query, media type, content, and by whether a service is told of its outcome,
        /// which is stored only then. Without the key it cannot be used to test guesses of the content, such as
        /// a password.
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
}
