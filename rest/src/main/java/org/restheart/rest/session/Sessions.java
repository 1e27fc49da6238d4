package org.restheart.rest.session;

import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.data.Operation.Read;
import org.restheart.http.Digests;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.FairShares;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.parameter.SessionParameter;

/// The sessions of requests. Thread-safe.
public final class Sessions {
    private final MongoClient client;
    private final ServerTransactions transactions;
    private final OpenTransactions open;
    private final NewSessions sessions;

    public Sessions(MongoClient client, Limits limits) {
        this.client = client;
        this.transactions = new ServerTransactions(client);
        this.open = new OpenTransactions(
                limits, transaction -> transactions.isInProgress(transaction.session(), transaction.number()));
        this.sessions = new NewSessions(limits.sessions());
    }

    ServerTransactions transactions() {
        return transactions;
    }

    OpenTransactions open() {
        return open;
    }

    /// The owner of the sessions that a request may use.
    static String owner(Request request) {
        return request.caller().identity();
    }

    /// The caller against whose limits a request counts: the account, whichever of its credentials was sent, since it
    /// can make as many API keys as it likes; otherwise the address.
    static String charged() {
        return CallerScope.current();
    }

    /// MongoDB's session of an id, which is registered in MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 404 for one of another owner; 429 if the caller has used too
    ///     many
    BsonDocument admitted(Request request, UUID id) {
        var session = serverSession(request, id);
        sessions.admit(charged(), session);
        return session;
    }

    /// MongoDB's session of an id.
    ///
    /// @throws org.restheart.http.ProblemException 404 for one of another owner
    static BsonDocument serverSession(Request request, UUID id) {
        var session = new SessionId(id);
        if (!session.mayBeOf(owner(request))) {
            throw new ProblemException(ProblemCode.NOT_FOUND, "Session does not exist");
        }
        return session.serverSession(owner(request));
    }

    /// The session of a request's reads and writes: its transaction or, outside of one, the operation time that
    /// makes a secondary wait for earlier writes of the session. As writes through other gateways are unknown,
    /// the time is read from the primary. Blocks for MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 404 for a session of another owner; 429 if the caller has
    ///     used too many
    public Optional<ClientSession> of(Request request, SessionParameter parameter, Parameters parameters) {
        var server = serverSession(request, parameter.sessionId());
        if (parameter.transaction().isPresent()) {
            request.requireThread();
            sessions.admit(charged(), server);
            long number = parameter.transaction().get();
            return Optional.of(AttachedSession.to(client, server, number, () -> transactions.abort(server, number)));
        }
        boolean elsewhere = !parameters
                .concerns()
                .readPreference()
                .orElseGet(client::getReadPreference)
                .equals(ReadPreference.primary());
        boolean reads = request.require(DataTarget.KEY).operation() instanceof Read;
        if (!reads || !elsewhere || !new SessionId(parameter.sessionId()).isCausal()) {
            return Optional.empty();
        }
        request.requireThread();
        sessions.admit(charged(), server);
        var session = AttachedSession.causal(client, server);
        client.getDatabase("admin")
                .runCommand(session, new BsonDocument("ping", new BsonInt32(1)), ReadPreference.primary());
        return Optional.of(session);
    }

    /// Limits the sessions that are made known to MongoDB. MongoDB keeps each for half an hour. When it keeps a
    /// million, it refuses every new one, including those of the gateway itself. Thread-safe.
    ///
    /// The sessions of the current half hour are recorded in a Bloom filter, so that about one of 400 is not
    /// counted.
    private static final class NewSessions {
        private static final long PERIOD = Duration.ofMinutes(30).toNanos();
        private static final int BITS = 16;

        private final int limit;
        private BitSet known = new BitSet();
        private FairShares shares;
        private long since = System.nanoTime();

        /// @param limit of one half hour
        NewSessions(int limit) {
            this.limit = limit;
            this.shares = new FairShares(limit);
        }

        /// Called before a session is registered in MongoDB.
        ///
        /// @throws org.restheart.http.ProblemException 429 if it is new and the caller has its share of new
        ///     ones
        synchronized void admit(String caller, BsonDocument session) {
            if (System.nanoTime() - since > PERIOD) {
                known = new BitSet();
                shares = new FairShares(limit);
                since = System.nanoTime();
            }
            var bits = bits(session);
            boolean isKnown = true;
            for (int bit : bits) {
                isKnown &= known.get(bit);
            }
            if (isKnown) {
                return;
            }
            if (!shares.tryTake(caller)) {
                throw Problem.of(
                                ProblemCode.TOO_MANY_REQUESTS,
                                "too many sessions in half an hour: use a session for many transactions")
                        .with("Retry-After", "60")
                        .raise();
            }
            for (int bit : bits) {
                known.set(bit);
            }
        }

        /// The id of a session is a digest, whose parts are as good as random.
        private int[] bits(BsonDocument session) {
            var id = ByteBuffer.wrap(session.getBinary("id").getData());
            var bits = new int[id.capacity() / Integer.BYTES];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = (int) (((id.getInt() & 0xffffffffL) * ((long) limit * BITS)) >>> Integer.SIZE);
            }
            return bits;
        }
    }

    /// A session's id as seen by clients. Any UUID is valid on any server; generated ones (version 8, RFC 9562)
    /// contain a mark of their owner, so that other callers are refused. For each id, MongoDB's session differs per
    /// owner: knowing or guessing an id gives no access to another caller's session. Immutable.
    record SessionId(UUID uuid) {
        private static final SecureRandom RANDOM = new SecureRandom();

        /// A bit of the byte with the variant.
        private static final int CAUSAL = 0x20;

        private static final int VARIANT_BYTE = 8;
        private static final int MADE_HERE = 8;

        /// @param owner the identity of the caller
        static SessionId create(String owner, boolean causal) {
            var bytes = new byte[16];
            RANDOM.nextBytes(bytes);
            bytes[6] = (byte) ((MADE_HERE << 4) | (bytes[6] & 0x0f));
            bytes[VARIANT_BYTE] = (byte) (0x80 | (causal ? CAUSAL : 0) | (bytes[VARIANT_BYTE] & 0x1f));
            var mark = mark(bytes, owner);
            System.arraycopy(mark, 0, bytes, VARIANT_BYTE + 1, 7);
            return new SessionId(uuid(bytes));
        }

        boolean isCausal() {
            return (bytes()[VARIANT_BYTE] & CAUSAL) != 0;
        }

        /// False for one that was generated for another owner.
        boolean mayBeOf(String owner) {
            var bytes = bytes();
            return uuid.version() != MADE_HERE || Arrays.equals(bytes, VARIANT_BYTE + 1, 16, mark(bytes, owner), 0, 7);
        }

        /// The id of MongoDB's session.
        BsonDocument serverSession(String owner) {
            var bytes = digest("session", bytes(), owner);
            bytes[6] = (byte) (0x40 | (bytes[6] & 0x0f));
            bytes[VARIANT_BYTE] = (byte) (0x80 | (bytes[VARIANT_BYTE] & 0x3f));
            return new BsonDocument("id", new BsonBinary(uuid(bytes)));
        }

        private byte[] bytes() {
            return ByteBuffer.allocate(16)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .array();
        }

        private static UUID uuid(byte[] bytes) {
            var buffer = ByteBuffer.wrap(bytes);
            return new UUID(buffer.getLong(), buffer.getLong());
        }

        /// The last bytes of a generated id.
        private static byte[] mark(byte[] id, String owner) {
            return digest("owner", Arrays.copyOf(id, VARIANT_BYTE + 1), owner);
        }

        private static byte[] digest(String purpose, byte[] id, String owner) {
            var digest = Digests.sha256();
            digest.update(purpose.getBytes(StandardCharsets.UTF_8));
            digest.update(id);
            return digest.digest(owner.getBytes(StandardCharsets.UTF_8));
        }
    }

    /// Limits of what callers keep in MongoDB by their sessions, for each gateway.
    ///
    /// @param transactions in progress
    /// @param transactionsPerCaller those of one account, or of one address without an account
    /// @param sessions that are made known to MongoDB in half an hour; one caller may use half of them
    public record Limits(int transactions, int transactionsPerCaller, int sessions) {}
}
