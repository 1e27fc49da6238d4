package org.restheart.mongo.write;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteUpsert;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.DocumentWrite.StatementResult;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Done;

/// The statements of an `insert`, `update` or `delete` as a retryable write (MongoDB manual, "Retryable Writes"): a
/// session and a transaction number name the command, its position names each statement. MongoDB executes no
/// statement twice that has changed a document, and reports a repeated one as executed, whatever its new content.
/// Therefore statements can be retried after a lost connection, and queried by statements that match nothing; those
/// of an `insert` by an `update`, to which MongoDB reports them as upserts. So the answer is about this command, not
/// about documents of other requests with the same ids.
///
/// Statements are executed one after the other. When the time limit ends, MongoDB fails the command as a whole, with
/// an error that names no statement; what was executed before stays, and errors of other statements are lost.
///
/// Used by one thread at a time; must be closed.
public final class RetryableStatements implements AutoCloseable {
    private static final ClientSessionOptions NOT_CAUSAL =
            ClientSessionOptions.builder().causallyConsistent(false).build();

    private static final String INSERT = "insert";

    static final String RETRYABLE = "RetryableWriteError";

    /// With which servers since 6.1 label such failures.
    private static final String NO_WRITES = "NoWritesPerformed";

    /// Codes with which MongoDB refuses a command before it executes a statement: it cannot be parsed (9, 14, 40413,
    /// 40415), is not allowed (13, 166, 323), or there are no retryable writes (20, 72, 115, 301, 303).
    private static final Set<Integer> NOTHING_DONE = Set.of(9, 13, 14, 20, 72, 115, 166, 301, 303, 323, 40413, 40415);

    private final MongoClient client;
    private final MongoDatabase database;
    private final String command;
    private final MongoNamespace namespace;
    private final List<? extends BsonDocument> statements;
    private final ClientSession session;
    private final long number;

    /// Whether there was no reply to an attempt, so that MongoDB may still receive it: networks deliver what was sent
    /// before a connection was closed, if they can, and a server that was stopped reads it later.
    private boolean unanswered;

    /// @param command `insert`, whose statements are documents, `update` or `delete`
    public RetryableStatements(
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

    /// @param results by number, [Done] or [StatementResult.Upserted]; others did nothing, or nothing that
    ///     changed a document
    /// @param upserts those of them that created a document
    /// @param unsatisfied present if the write concern was not satisfied
    public record Executed(
            Map<Integer, StatementResult> results,
            List<BulkWriteUpsert> upserts,
            Optional<MongoWriteConcernException> unsatisfied) {
        /// @throws MongoWriteConcernException if the write concern was not satisfied
        void requireConcern() {
            unsatisfied.ifPresent(e -> {
                throw e;
            });
        }
    }

    /// Executes all statements, in no order.
    ///
    /// @param limitMillis after which MongoDB aborts
    /// @throws MongoSocketReadException if the connection is lost twice: the reply may have become too large
    ///     to be sent, since errors of an `update` contain keys of stored documents
    /// @throws MongoException if it is unknown which were executed; [#executed] may determine it
    public StatementsReply send(WriteConcern writeConcern, int limitMillis) {
        var all = command(command, statements, false, writeConcern);
        return run(limited(all, limitMillis), List.of(), command.equals(INSERT));
    }

    /// Executes some of the statements, but none again.
    ///
    /// @param numbers of the statements, ascending
    /// @param ordered whether the first one that fails ends the command
    /// @param limitMillis after which MongoDB aborts
    /// @throws MongoException if it is unknown which were executed; [#executed] may determine it
    public StatementsReply send(List<Integer> numbers, boolean ordered, WriteConcern writeConcern, int limitMillis) {
        if (numbers.size() == statements.size()) {
            var all = command(command, statements, ordered, writeConcern);
            return run(limited(all, limitMillis), List.of(), true);
        }
        var some = numbers.stream().map(statements::get).toList();
        var document = command(command, some, ordered, writeConcern).append("stmtIds", ids(numbers));
        return run(limited(document, limitMillis), numbers, true);
    }

    /// How long MongoDB may look for what it has executed. An idle server needs 50 µs for each statement.
    private static int queryMillis() {
        return (int) BoundedConcern.left(BoundedConcern.LIMIT).toMillis();
    }

    private BsonDocument limited(BsonDocument command, int limitMillis) {
        if (database.getTimeout(TimeUnit.MILLISECONDS) == null) { // else the driver sets one
            command.append("maxTimeMS", new BsonInt32(limitMillis));
        }
        return command;
    }

    private static BsonArray ids(List<Integer> numbers) {
        return new BsonArray(numbers.stream().map(BsonInt32::new).toList());
    }

    /// Determines which of some statements have been executed; executes none. MongoDB finds them by session and
    /// number, whatever the collection: another one is not locked by what the statements waited for.
    ///
    /// @param writeConcern is waited for
    /// @throws UnknownOutcomeException if it cannot be determined
    public Executed executed(List<Integer> numbers, WriteConcern writeConcern) {
        return queryExecuted(ResourceNames.PROPERTIES, numbers, writeConcern);
    }

    /// As [#executed], asking on the collection of the statements: where it cannot be changed now, neither can what was
    /// not executed be repeated.
    public Executed executedHere(List<Integer> numbers, WriteConcern writeConcern) {
        return queryExecuted(namespace.getCollectionName(), numbers, writeConcern);
    }

    private Executed queryExecuted(String collection, List<Integer> numbers, WriteConcern writeConcern) {
        try {
            return queryInHalves(collection, numbers, writeConcern);
        } catch (MongoException e) {
            throw new UnknownOutcomeException(e);
        }
    }

    /// Asks once, or where the reply does not tell the statements apart, once more for each half.
    private Executed queryInHalves(String collection, List<Integer> numbers, WriteConcern writeConcern) {
        StatementsReply reply;
        try {
            reply = query(collection, numbers, writeConcern);
        } catch (MongoCommandException e) {
            if (e.getErrorCode() != MongoCodes.UNAUTHORIZED) { // the user may write some collections only
                throw e;
            }
            reply = query(namespace.getCollectionName(), numbers, writeConcern);
        }
        var results = new HashMap<Integer, StatementResult>();
        var named = reply.retried();
        if (reply.n() == numbers.size() || reply.n() == named.size()) {
            (named.size() == reply.n() ? named : Set.copyOf(numbers)).forEach(id -> results.put(id, new Done()));
            results.putAll(reply.upserted());
            return new Executed(results, reply.upserts(), reply.unsatisfied());
        }
        int half = numbers.size() / 2; // a release that does not name them
        var first = queryInHalves(collection, numbers.subList(0, half), writeConcern);
        var second = queryInHalves(collection, numbers.subList(half, numbers.size()), writeConcern);
        results.putAll(first.results());
        results.putAll(second.results());
        var upserts = new ArrayList<>(first.upserts());
        upserts.addAll(second.upserts());
        return new Executed(results, upserts, first.unsatisfied().or(second::unsatisfied));
    }

    /// @param collection in which nothing is changed
    private StatementsReply query(String collection, List<Integer> numbers, WriteConcern writeConcern) {
        var query = nothing(collection, numbers.size(), writeConcern).append("stmtIds", ids(numbers));
        return run(limited(query, queryMillis()), numbers, true);
    }

    /// Keeps MongoDB from executing any statement from now on. To be called before statements that were not executed
    /// are sent as other writes: a command whose connection was lost may arrive afterwards, and would execute them
    /// once more. MongoDB refuses it if it knows a higher number of its session. Does nothing if all commands have
    /// been answered.
    ///
    /// @throws UnknownOutcomeException if it is unknown whether MongoDB knows a higher number
    public void end() {
        if (!unanswered) {
            return;
        }
        long higher = session.getServerSession().advanceTransactionNumber();
        var nothing =
                nothing(namespace.getCollectionName(), 1, WriteConcern.W1).append("txnNumber", new BsonInt64(higher));
        try {
            run(limited(nothing, queryMillis()), List.of(), true);
        } catch (MongoException e) {
            throw new UnknownOutcomeException(e);
        }
    }

    private BsonDocument nothing(String collection, int statements, WriteConcern writeConcern) {
        var name = command.equals(INSERT) ? "update" : command;
        return command(name, Collections.nCopies(statements, noStatement(name)), false, writeConcern)
                .append(name, new BsonString(collection));
    }

    /// Matches nothing.
    private static BsonDocument noStatement(String command) {
        var statement = new BsonDocument("q", new BsonDocument("_id", new BsonDocument("$in", new BsonArray())));
        return command.equals("update")
                ? statement.append("u", new BsonDocument("$set", new BsonDocument("_etag", BsonBoolean.TRUE)))
                : statement.append("limit", new BsonInt32(1));
    }

    private BsonDocument command(
            String name, List<? extends BsonDocument> statements, boolean ordered, WriteConcern writeConcern) {
        var document = new BsonDocument(name, new BsonString(namespace.getCollectionName()))
                .append(name.equals(INSERT) ? "documents" : name + "s", new BsonArray(statements))
                .append("ordered", BsonBoolean.valueOf(ordered))
                .append("txnNumber", new BsonInt64(number));
        return writeConcern.isServerDefault() ? document : document.append("writeConcern", writeConcern.asDocument());
    }

    /// Retries once if the connection is lost or the primary has changed, and then each time the connection is lost
    /// while the request has time left ([ConnectionRetry]). What MongoDB has executed is then known, or told by the
    /// failure of the last attempt that may have executed something.
    ///
    /// @param beyondSecond whether further attempts follow the second if the connection is lost while MongoDB
    ///     replies
    private StatementsReply run(BsonDocument command, List<Integer> numbers, boolean beyondSecond) {
        MongoException failure;
        try {
            var reply = runOnce(command, numbers);
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
        var lost = new ConnectionRetry();
        while (true) {
            try {
                return runOnce(command, numbers);
            } catch (MongoException again) {
                boolean earlier = hasDoneNothing(again) && !hasDoneNothing(failure);
                var former = failure;
                failure = earlier ? former : again;
                boolean last = !beyondSecond && again instanceof MongoSocketReadException;
                if (last || !lost.allowAnother(again)) {
                    failure.addSuppressed(earlier ? again : former);
                    throw failure;
                }
            }
        }
    }

    private StatementsReply runOnce(BsonDocument command, List<Integer> numbers) {
        try {
            var reply = database.runCommand(session, command, BsonDocument.class);
            return new StatementsReply(reply, namespace, address(), numbers);
        } catch (MongoException e) {
            unanswered = unanswered || !(isReply(e) || hasDoneNothing(e));
            throw e;
        }
    }

    private static boolean isReply(MongoException e) {
        return e instanceof MongoCommandException
                || e instanceof MongoNotPrimaryException
                || e instanceof MongoNodeIsRecoveringException
                || e instanceof MongoExecutionTimeoutException;
    }

    /// Whether it is certain that MongoDB has executed none of the statements of a command that failed so: it has not
    /// received it, or refused it before.
    public static boolean hasDoneNothing(MongoException e) {
        return switch (e) {
            case MongoOperationTimeoutException _ -> false; // the limit may have ended while MongoDB executed it
            case MongoTimeoutException _, MongoConnectionPoolClearedException _, MongoSocketOpenException _ -> true;
            case MongoCommandException command when NOTHING_DONE.contains(command.getErrorCode()) -> true;
            default -> e.hasErrorLabel(NO_WRITES);
        };
    }

    private static boolean isRetryable(MongoException e) {
        return e instanceof MongoSocketException
                || e instanceof MongoNotPrimaryException
                || e instanceof MongoNodeIsRecoveringException
                || e instanceof MongoConnectionPoolClearedException
                || e.hasErrorLabel(RETRYABLE);
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
