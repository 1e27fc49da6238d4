package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ClusterType;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;

/// Runs several commands atomically. Needs a replica set.
public final class Transaction {
    private static final int MAX_ATTEMPTS = 10;

    private Transaction() {}

    /// Whether the deployment has transactions, which a standalone server has not.
    public static boolean isSupported(MongoClient client) {
        return client.getClusterDescription().getType() != ClusterType.STANDALONE;
    }

    /// Runs `work` and commits it; aborts it if it throws. Retries it after transient errors.
    ///
    /// @throws org.restheart.http.ProblemException 409 after repeated conflicts, 405 without a replica set
    static <T> T run(MongoClient client, WriteConcern writeConcern, Function<ClientSession, T> work) {
        return attempts(client, writeConcern, session -> {
            var result = work.apply(session);
            session.commitTransaction();
            return result;
        });
    }

    /// Runs `work` and rolls back whatever it has written. Retries it after transient errors.
    ///
    /// @throws org.restheart.http.ProblemException 409 after repeated conflicts, 405 without a replica set
    static <T> T undone(MongoClient client, Function<ClientSession, T> work) {
        return attempts(client, WriteConcern.W1, work);
    }

    /// Ends a transaction of a client after a failure, as MongoDB does where the failure is that of its own statement.
    static void abort(ClientSession begun) {
        try {
            begun.abortTransaction();
        } catch (MongoException | ProblemException _) {
            // it has ended already
        }
    }

    /// @param work may commit; what it has not committed is aborted
    private static <T> T attempts(MongoClient client, WriteConcern writeConcern, Function<ClientSession, T> work) {
        var options = TransactionOptions.builder()
                .writeConcern(writeConcern)
                .readPreference(ReadPreference.primary())
                .build();
        MongoException unavailable = null;
        for (int attempt = 0; ; attempt++) {
            try (var session = client.startSession()) {
                session.startTransaction(options);
                try {
                    return work.apply(session);
                } finally {
                    if (session.hasActiveTransaction()) {
                        session.abortTransaction();
                    }
                }
            } catch (MongoException e) {
                if (isStandalone(e)) {
                    throw new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "this needs a MongoDB replica set");
                }
                if (!e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
                    throw e;
                }
                unavailable = isUnavailable(e) ? e : unavailable;
                if (attempt + 1 == MAX_ATTEMPTS) {
                    throw unavailable != null ? unavailable : changesTooOften();
                }
            }
            pause(attempt);
        }
    }

    /// Whether it failed because MongoDB is not there, and not by conflicts with others.
    public static boolean isUnavailable(RuntimeException failure) {
        return MongoErrors.toProblem(failure)
                .filter(problem -> problem.code() == ProblemCode.DATABASE_UNAVAILABLE)
                .isPresent();
    }

    static ProblemException changesTooOften() {
        return new ProblemException(ProblemCode.CONFLICT, "the document changes too often; try again");
    }

    /// The driver replaces the server's error of a write by one of its own.
    private static boolean isStandalone(MongoException e) {
        return e.getCode() == MongoCodes.ILLEGAL_OPERATION
                || (e.getCause() instanceof MongoException cause && cause.getCode() == MongoCodes.ILLEGAL_OPERATION);
    }

    /// A random time that grows, so that transactions that conflict do not meet again and again.
    public static void pause(int attempt) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000L << Math.min(attempt, 6)));
    }
}
