package org.restheart.mongo.coalescing;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.WriteError;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.mongo.concern.UnsatisfiedConcern;
import org.restheart.mongo.write.DocumentWrite.StatementResult;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Done;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Failed;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Upserted;

/// The statements of one unordered `update` or `delete` as a retryable write (MongoDB manual, "Retryable Writes"): a
/// session and a transaction number name the command, its position names each statement. MongoDB executes no
/// statement twice that has changed a document, and reports a repeated one as executed, whatever its new content.
/// Therefore statements can be retried after a lost connection, and queried by statements that match nothing. Used
/// by one thread at a time; must be closed.
final class RetryableStatements implements AutoCloseable {
    private static final ClientSessionOptions NOT_CAUSAL =
            ClientSessionOptions.builder().causallyConsistent(false).build();

    private static final String RETRYABLE = "RetryableWriteError";

    /// `MaxTimeMSExpired`.
    private static final int OUT_OF_TIME = 50;

    private final MongoClient client;
    private final MongoDatabase database;
    private final String command;
    private final MongoNamespace namespace;
    private final List<? extends BsonDocument> statements;
    private final ClientSession session;
    private final long number;

    /// @param command `update` or `delete`
    RetryableStatements(
            MongoClient client, String command, MongoNamespace namespace, List<? extends BsonDocument> statements) {
        this.client = client;
        this.database = client.getDatabase(namespace.getDatabaseName());
        this.command = command;
        this.namespace = namespace;
        this.statements = statements;
        this.session = client.startSession(NOT_CAUSAL);
        this.number = session.getServerSession().advanceTransactionNumber();
    }

    @Override
    public void close() {
        session.close();
    }

    /// The executed statements.
    ///
    /// @param results by number, [Done] or [Upserted]; others did nothing, or nothing that changed a document
    /// @param unsatisfied present if the write concern was not satisfied
    record Executed(Map<Integer, StatementResult> results, Optional<MongoWriteConcernException> unsatisfied) {}

    /// Executes the statements.
    ///
    /// @param limitMillis after which MongoDB aborts
    /// @throws MongoException if it is unknown which were executed; [#executed] may determine it
    Reply send(WriteConcern writeConcern, int limitMillis) {
        var command = command(statements, writeConcern);
        if (database.getTimeout(TimeUnit.MILLISECONDS) == null) { // else the driver sets one
            command.append("maxTimeMS", new BsonInt32(limitMillis));
        }
        return run(command);
    }

    /// Determines which of some statements have been executed; executes none.
    ///
    /// @param numbers of the statements
    /// @param writeConcern is waited for
    Executed executed(List<Integer> numbers, WriteConcern writeConcern) {
        var ids = new BsonArray();
        numbers.forEach(id -> ids.add(new BsonInt32(id)));
        var reply = run(command(Collections.nCopies(numbers.size(), noStatement()), writeConcern)
                .append("stmtIds", ids));
        var results = new HashMap<Integer, StatementResult>();
        var named = reply.retried();
        if (reply.n() == numbers.size() || reply.n() == named.size()) {
            (named.size() == reply.n() ? named : Set.copyOf(numbers)).forEach(id -> results.put(id, new Done()));
            reply.upserted().forEach((index, upserted) -> results.put(numbers.get(index), upserted));
            return new Executed(results, reply.unsatisfied());
        }
        int half = numbers.size() / 2; // a release that does not name them
        var first = executed(numbers.subList(0, half), writeConcern);
        var second = executed(numbers.subList(half, numbers.size()), writeConcern);
        results.putAll(first.results());
        results.putAll(second.results());
        return new Executed(results, first.unsatisfied().or(second::unsatisfied));
    }

    /// Matches nothing.
    private BsonDocument noStatement() {
        var statement = new BsonDocument("q", new BsonDocument("_id", new BsonDocument("$in", new BsonArray())));
        return command.equals("update")
                ? statement.append("u", new BsonDocument("$set", new BsonDocument("_etag", BsonBoolean.TRUE)))
                : statement.append("limit", new BsonInt32(1));
    }

    private BsonDocument command(List<? extends BsonDocument> statements, WriteConcern writeConcern) {
        var document = new BsonDocument(command, new BsonString(namespace.getCollectionName()))
                .append(command + "s", new BsonArray(statements))
                .append("ordered", BsonBoolean.FALSE)
                .append("txnNumber", new BsonInt64(number));
        return writeConcern.isServerDefault() ? document : document.append("writeConcern", writeConcern.asDocument());
    }

    /// Retries once if the connection is lost or the primary has changed.
    private Reply run(BsonDocument command) {
        MongoException failure;
        try {
            var reply = runOnce(command);
            if (!reply.isRetryable()) {
                return reply;
            }
            failure = reply.unsatisfied().orElseThrow();
        } catch (MongoException e) {
            if (!isRetryable(e)) {
                throw e;
            }
            failure = e;
        }
        try {
            return runOnce(command);
        } catch (MongoException again) { // the first attempt may have been executed
            failure.addSuppressed(again);
            throw failure;
        }
    }

    private Reply runOnce(BsonDocument command) {
        return new Reply(database.runCommand(session, command, BsonDocument.class));
    }

    private static boolean isRetryable(MongoException e) {
        return e instanceof MongoSocketException
                || e instanceof MongoNotPrimaryException
                || e instanceof MongoNodeIsRecoveringException
                || e instanceof MongoConnectionPoolClearedException
                || e.hasErrorLabel(RETRYABLE);
    }

    /// MongoDB's reply.
    final class Reply {
        private final BsonDocument reply;

        private Reply(BsonDocument reply) {
            this.reply = reply;
        }

        /// Statements that matched or created a document.
        int n() {
            return reply.getNumber("n").intValue();
        }

        /// By number of statement.
        Map<Integer, StatementResult> failed() {
            var failed = new HashMap<Integer, StatementResult>();
            for (var each : list("writeErrors")) {
                var error = each.asDocument();
                var reason = new WriteError(
                        error.getNumber("code").intValue(),
                        error.getString("errmsg", new BsonString("")).getValue(),
                        error.getDocument("errInfo", new BsonDocument()));
                failed.put(
                        error.getNumber("index").intValue(),
                        new Failed(new MongoWriteException(reason, address(), Set.of())));
            }
            return failed;
        }

        /// By number of statement.
        Map<Integer, StatementResult> upserted() {
            return list("upserted").stream()
                    .collect(Collectors.toMap(
                            each -> each.asDocument().getNumber("index").intValue(), _ -> new Upserted()));
        }

        /// Numbers of statements that had been executed before.
        private Set<Integer> retried() {
            return list("retriedStmtIds").stream()
                    .map(id -> id.asNumber().intValue())
                    .collect(Collectors.toSet());
        }

        /// Whether the time ended while MongoDB waited for the write concern.
        boolean waitsForConcern() {
            return unsatisfied()
                    .filter(e -> e.getWriteConcernError().getCode() == OUT_OF_TIME)
                    .isPresent();
        }

        /// @throws MongoWriteConcernException if the write concern was not satisfied
        void requireConcern() {
            unsatisfied().ifPresent(e -> {
                throw e;
            });
        }

        private Optional<MongoWriteConcernException> unsatisfied() {
            return UnsatisfiedConcern.in(reply, address());
        }

        private boolean isRetryable() {
            return reply.containsKey("writeConcernError") && labels().contains(RETRYABLE);
        }

        private List<String> labels() {
            return list("errorLabels").stream()
                    .map(label -> label.asString().getValue())
                    .toList();
        }

        private List<BsonValue> list(String name) {
            return reply.getArray(name, new BsonArray());
        }
    }

    /// The address of the server that most probably replied, for the log.
    private ServerAddress address() {
        return client.getClusterDescription().getServerDescriptions().stream()
                .filter(ServerDescription::isPrimary)
                .map(ServerDescription::getAddress)
                .findFirst()
                .orElseGet(ServerAddress::new);
    }
}
