package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.BulkWriteUpsert;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.WriteModel;
import com.mongodb.connection.ClusterType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.BulkWrites.Tried;
import org.restheart.mongo.write.BulkWrites.Writes;

/// Inserts and replacements of documents, each of which waits for a limited time where an open transaction has
/// written a document with the same `_id`, or an operation on the collection waits for such a transaction. A document
/// that exceeds the limit is not written and gets an error with the code `MongoCodes.MAX_TIME_EXPIRED`; the others of
/// the request are written, however long that takes, unless three have exceeded it.
///
/// MongoDB executes statements one after the other, and its time limit applies to the whole command. When that ends,
/// executed statements are determined ([RetryableStatements]), and the first of those behind them that is neither
/// executed nor refused is the one that waits. It is sent separately, with a limit of its own; then the rest goes on.
///
/// Needs a replica set and retryable writes; elsewhere, writes wait without a limit. Thread-safe.
///
/// @param retriesWrites whether the connection string allows retryable writes
public record TimeLimitedWrites(MongoClient client, boolean retriesWrites) {
    /// The time limit of a command with several statements, of one request or of several: many times as long as one of
    /// MongoDB's batches takes.
    public static final int COMMAND_MILLIS = 2_000;

    /// After one has exceeded its limit, further documents of the request have less time: it has waited enough.
    private static final int FURTHER_MILLIS = 500;

    /// When so many documents of one request have exceeded their limits, the rest is not tried.
    private static final int MAX_BLOCKED = 3;

    /// How many statements are sent separately, one after the other, to find the one that waits.
    private static final int MAX_SEPARATE = 500;

    /// Whether there are limits: sharded clusters have not been tested, and with a `timeoutMS` the driver has its own.
    public boolean areLimited() {
        return retriesWrites
                && client.getTimeout(TimeUnit.MILLISECONDS) == null
                && client.getClusterDescription().getType() == ClusterType.REPLICA_SET;
    }

    /// Tries every write. In a transaction none waits for another one, and in a session none has a limit.
    ///
    /// @throws MongoException if more failed than single documents
    /// @throws UnknownOutcomeException if some were written before, or may have been
    public Tried each(Writes writes) {
        if (!writes.areFree() || !areLimited()) {
            return writes.run();
        }
        var statements =
                writes.models().stream().map(TimeLimitedWrites::statement).toList();
        var command = writes.areInserts() ? "insert" : "update";
        try (var sent =
                new RetryableStatements(client, command, writes.collection().getNamespace(), statements)) {
            var run = new Run(sent, statements, writes).all();
            return new Tried(run.result(), run.errors());
        }
    }

    /// The document of an insert, or the statement of a replacement.
    static RawBsonDocument statement(WriteModel<RawBsonDocument> write) {
        return switch (write) {
            case InsertOneModel<RawBsonDocument> insert -> insert.getDocument();
            case ReplaceOneModel<RawBsonDocument> replace -> {
                var statement = new BsonDocument("q", replace.getFilter().toBsonDocument())
                        .append("u", replace.getReplacement())
                        .append(
                                "upsert",
                                BsonBoolean.valueOf(replace.getReplaceOptions().isUpsert()));
                var hint = replace.getReplaceOptions().getHint();
                if (hint != null) {
                    statement.append("hint", hint.toBsonDocument());
                }
                yield RawDocuments.encode(statement);
            }
            default -> throw new IllegalArgumentException("neither an insert nor a replacement");
        };
    }

    /// The statements of one request. Confined to the request.
    private static final class Run {
        private final RetryableStatements statements;
        private final List<RawBsonDocument> documents;
        private final Writes writes;
        private final WriteConcern concern;
        private final long began = System.nanoTime();

        private final List<BulkWriteError> errors = new ArrayList<>();
        private final List<BulkWriteUpsert> upserts = new ArrayList<>();
        private int inserted;
        private int matched;
        private int modified;

        private int blocked;
        private boolean ended;

        Run(RetryableStatements statements, List<RawBsonDocument> documents, Writes writes) {
            this.statements = statements;
            this.documents = documents;
            this.writes = writes;
            this.concern = writes.collection().getWriteConcern();
        }

        /// @throws MongoException if more failed than single documents
        /// @throws UnknownOutcomeException if some were executed before
        Run all() {
            try {
                tryAll();
            } catch (MongoWriteConcernException | UnknownOutcomeException e) {
                throw e;
            } catch (MongoException e) {
                throw done() == 0 ? e : new UnknownOutcomeException(e);
            }
            errors.sort(Comparator.comparingInt(BulkWriteError::getIndex));
            upserts.sort(Comparator.comparingInt(BulkWriteUpsert::getIndex));
            return this;
        }

        /// Of the statements that failed, ascending.
        List<BulkWriteError> errors() {
            return errors;
        }

        BulkWriteResult result() {
            return BulkWriteResult.acknowledged(inserted, matched, 0, modified, upserts, List.of());
        }

        private void tryAll() {
            var left =
                    new ArrayList<>(IntStream.range(0, documents.size()).boxed().toList());
            int limit = CommandBatches.MAX_STATEMENTS;
            int size = limit;
            while (!left.isEmpty() && !ended) {
                if (isLate()) {
                    left.forEach(this::refuse);
                    return;
                }
                var part = List.copyOf(left.subList(
                        0,
                        CommandBatches.first(
                                left, size, number -> documents.get(number).getByteLength())));
                if (areTried(part)) {
                    left.subList(0, part.size()).clear();
                    giveUp(left);
                    size = Math.min(size * 4, limit);
                } else {
                    var executed = executed(part);
                    left.removeAll(executed);
                    passBlocked(left, executed.isEmpty() ? -1 : Collections.max(executed));
                    limit = Math.max(part.size() / 2, 1); // a slow server carries out smaller ones in time
                    size = limit;
                }
            }
        }

        private boolean isLate() {
            return writes.most()
                    .filter(time -> System.nanoTime() - began > time.toNanos())
                    .isPresent();
        }

        /// @return false if the time limit ended before all were tried
        private boolean areTried(List<Integer> numbers) {
            if (numbers.size() == 1) {
                tryAlone(numbers.getFirst());
                return true;
            }
            try {
                send(numbers, COMMAND_MILLIS);
                return true;
            } catch (MongoExecutionTimeoutException _) {
                return false;
            }
        }

        private void tryAlone(int number) {
            try {
                send(List.of(number), blocked == 0 ? SessionCollection.limitMillis() : FURTHER_MILLIS);
            } catch (MongoExecutionTimeoutException _) {
                blocked++;
                refuse(number);
            }
        }

        private void refuse(int number) {
            errors.add(new BulkWriteError(
                    MongoCodes.MAX_TIME_EXPIRED, MongoCodes.blocked().message(), new BsonDocument(), number));
            ended = ended || writes.ordered();
        }

        /// Sends the first statements behind the last executed one separately, until one is executed or exceeds its
        /// limit: those before were refused, and only their errors are missing. If many were, a smaller command
        /// finishes in time.
        private void passBlocked(List<Integer> left, int lastExecuted) {
            int before = blocked + done();
            int separate = 0;
            var next = left.iterator();
            while (next.hasNext() && !ended && !isLate() && blocked + done() == before && separate < MAX_SEPARATE) {
                int number = next.next();
                if (number > lastExecuted) {
                    separate++;
                    tryAlone(number);
                    next.remove();
                }
            }
            giveUp(left);
        }

        /// Refuses the rest after too many that were blocked.
        private void giveUp(List<Integer> left) {
            if (blocked >= MAX_BLOCKED && !ended) {
                left.forEach(this::refuse);
                ended = true;
            }
        }

        private void send(List<Integer> numbers, int limitMillis) {
            var reply = statements.send(numbers, writes.ordered(), concern, limitMillis);
            if (reply.hasPendingConcern()) {
                statements.executed(numbers, concern).requireConcern();
            } else {
                reply.requireConcern();
            }
            var failed = reply.errors();
            errors.addAll(failed);
            ended = ended || (writes.ordered() && !failed.isEmpty());
            count(reply.n(), reply.upserts(), reply.modified());
        }

        /// Counts those that were executed before the time limit ended.
        private Set<Integer> executed(List<Integer> numbers) {
            var executed = statements.executed(numbers, concern);
            executed.requireConcern();
            int n = executed.results().size();
            count(n, executed.upserts(), n - executed.upserts().size());
            return executed.results().keySet();
        }

        /// @param created among the `n`; what MongoDB says of inserts there is ignored
        private void count(int n, List<BulkWriteUpsert> created, int changed) {
            if (writes.areInserts()) {
                inserted += n;
            } else {
                upserts.addAll(created);
                matched += n - created.size();
                modified += changed;
            }
        }

        private int done() {
            return inserted + matched + upserts.size();
        }
    }
}
