package org.restheart.rest.session;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;

/// MongoDB's transactions by session and number. The state of a transaction is derived from MongoDB's response
/// to a command in it. Blocks for MongoDB. Thread-safe.
record ServerTransactions(MongoClient client) {
    /// `TransactionTooOld`, `NoSuchTransaction`, `TransactionCommitted`, `IllegalOperation`.
    private static final int TOO_OLD = 225;

    private static final int NONE = 251;
    private static final int COMMITTED = 256;

    private static final int MAX_COMMITS = 5;

    /// The number in the text of `TransactionTooOld`; only a hint for the search.
    private static final Pattern NEWER = Pattern.compile("newer \\D*(\\d+)\\D*$");

    /// Any database is suitable, also one that does not exist.
    private static final String DB = "restheart";

    private static final BsonDocument TOUCH = BsonDocument.parse("{find: '_txns', limit: 1, singleBatch: true}");

    /// A session's latest transaction.
    record Current(long number, TransactionState state) {}

    private enum Probe {
        OLD,
        IN,
        COMMITTED,
        NONE
    }

    /// Empty if there has been none.
    ///
    /// @throws org.restheart.http.ProblemException 405 where transactions are not supported
    Optional<Current> current(BsonDocument session) {
        var hint = new long[1];
        var first = probe(session, 0, hint);
        if (first != Probe.OLD) {
            return Optional.empty();
        }
        var there = probe(session, hint[0], new long[1]);
        if (there == Probe.OLD || probe(session, hint[0] - 1, new long[1]) != Probe.OLD) {
            long number = search(session);
            return Optional.of(new Current(number, state(probe(session, number, new long[1]))));
        }
        return Optional.of(new Current(hint[0], state(there)));
    }

    boolean isInProgress(BsonDocument session, long number) {
        return probe(session, number, new long[1]) == Probe.IN;
    }

    private static TransactionState state(Probe probe) {
        return switch (probe) {
            case IN -> TransactionState.IN;
            case COMMITTED -> TransactionState.COMMITTED;
            case OLD, NONE -> TransactionState.ABORTED;
        };
    }

    /// The least number that is not too old.
    private long search(BsonDocument session) {
        long below = 0;
        long above = 1;
        while (probe(session, above, new long[1]) == Probe.OLD) {
            below = above;
            above *= 2;
        }
        while (above - below > 1) {
            long middle = (below + above) / 2;
            if (probe(session, middle, new long[1]) == Probe.OLD) {
                below = middle;
            } else {
                above = middle;
            }
        }
        return above;
    }

    /// @param hint receives the number of the latest transaction, if MongoDB reports it
    private Probe probe(BsonDocument session, long number, long[] hint) {
        try {
            var _ = ConnectionRetry.repeated(() -> run(attached(session, number), DB, TOUCH));
            return Probe.IN;
        } catch (MongoCommandException e) {
            return switch (e.getErrorCode()) {
                case TOO_OLD -> {
                    var newer = NEWER.matcher(e.getErrorMessage().replaceAll("has already started.*", ""));
                    hint[0] = newer.find() ? Long.parseLong(newer.group(1)) : 1;
                    yield Probe.OLD;
                }
                case NONE -> Probe.NONE;
                case COMMITTED -> Probe.COMMITTED;
                default -> throw unsupported(e);
            };
        }
    }

    /// @throws MongoException if it cannot be started, also because another one is in progress, or this one: by a
    ///     command whose reply was lost
    void begin(BsonDocument session, long number, ReadConcern readConcern) {
        try {
            var _ = ConnectionRetry.repeated(
                    () -> run(AttachedSession.beginning(client, session, number, readConcern), DB, TOUCH));
        } catch (MongoCommandException e) {
            throw unsupported(e);
        }
    }

    /// Idempotent, so that a commit without a response can be repeated to learn its outcome.
    ///
    /// @throws MongoException also if the transaction is not in progress
    void commit(BsonDocument session, long number) {
        var lost = new ConnectionRetry();
        for (int attempt = 1; ; attempt++) {
            var command = new BsonDocument("commitTransaction", new BsonInt32(1))
                    .append("writeConcern", BoundedConcern.MAJORITY.asDocument());
            try {
                BoundedConcern.requireSatisfied(run(attached(session, number), "admin", command));
                return;
            } catch (MongoException e) {
                boolean again = lost.allowAnother(e)
                        || (attempt < MAX_COMMITS
                                && e.hasErrorLabel(MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL));
                if (!again) {
                    throw e instanceof MongoCommandException refused ? unsupported(refused) : e;
                }
            }
        }
    }

    /// @throws MongoException also if the transaction is not in progress
    void abort(BsonDocument session, long number) {
        var lost = new ConnectionRetry();
        for (boolean first = true; ; first = false) {
            try {
                var _ = run(attached(session, number), "admin", new BsonDocument("abortTransaction", new BsonInt32(1)));
                return;
            } catch (MongoCommandException e) {
                if (!first && e.getErrorCode() == NONE) { // aborted by the command without a reply
                    return;
                }
                throw unsupported(e);
            } catch (MongoException e) {
                if (!lost.allowAnother(e)) {
                    throw e;
                }
            }
        }
    }

    /// Ends all operations in the session.
    void kill(BsonDocument session) {
        var command = new BsonDocument("killSessions", new BsonArray(List.of(session)));
        ConnectionRetry.repeated(() -> client.getDatabase("admin").runCommand(command));
    }

    private AttachedSession attached(BsonDocument session, long number) {
        return AttachedSession.to(client, session, number, () -> {});
    }

    private BsonDocument run(ClientSession session, String db, BsonDocument command) {
        return client.getDatabase(db).runCommand(session, command, ReadPreference.primary(), BsonDocument.class);
    }

    private static RuntimeException unsupported(MongoCommandException e) {
        return e.getErrorCode() == MongoCodes.ILLEGAL_OPERATION
                ? new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "transactions need a MongoDB replica set")
                : e;
    }

    /// The state of a session's latest transaction, as reported to clients.
    enum TransactionState {
        IN,
        COMMITTED,
        ABORTED
    }
}
