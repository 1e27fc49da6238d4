package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.util.function.Function;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Work that is done whole or not at all, where one command cannot do it. Needs a replica set.
final class Transaction {
    private static final int MAX_ATTEMPTS = 10;

    /// `IllegalOperation`: what a server on its own answers.
    private static final int NO_TRANSACTIONS = 20;

    private Transaction() {}

    /// Runs `work` and commits it; aborts it if it throws. Runs it again when MongoDB says that this can help.
    ///
    /// @throws org.restheart.http.ProblemException 409 when others kept interfering, 501 without a replica set
    static <T> T run(MongoClient client, WriteConcern writeConcern, Function<ClientSession, T> work) {
        var options = TransactionOptions.builder().writeConcern(writeConcern).build();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            try (var session = client.startSession()) {
                session.startTransaction(options);
                try {
                    var result = work.apply(session);
                    session.commitTransaction();
                    return result;
                } finally {
                    if (session.hasActiveTransaction()) {
                        session.abortTransaction();
                    }
                }
            } catch (MongoException e) {
                if (e.getCode() == NO_TRANSACTIONS) {
                    throw Problem.of(ProblemCode.NOT_IMPLEMENTED, "this needs a MongoDB replica set")
                            .raise();
                }
                if (!e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
                    throw e;
                }
            }
        }
        throw Problem.of(ProblemCode.CONFLICT, "the document changes too often; try again")
                .raise();
    }
}
