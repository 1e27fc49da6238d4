package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.BulkWriteUpsert;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCluster;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.WriteModel;
import com.mongodb.connection.ClusterType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.UnknownOutcomeException;

/// Inserts and replacements of documents, each of which waits for a limited time where an open transaction has
/// written a document with the same `_id`, or an operation on the collection waits for such a transaction. A document
/// that exceeds the limit is not written and gets an error with the code [MongoCodes#OUT_OF_TIME]; the others of the
/// request are written, however long that takes, unless [#MAX_BLOCKED] have exceeded it.
///
/// MongoDB executes statements one after the other, and its time limit applies to the whole command. When that ends,
/// executed statements are determined ([RetryableStatements]), and the first of those behind them that is neither
/// executed nor refused is the one that waits. It is sent separately, with a limit of its own; then the rest goes on.
///
/// Needs a replica set and retryable writes; elsewhere, writes wait without a limit. Thread-safe.
public final class LimitedWrites {
    /// The time limit of a command with several statements, of one request or of several: many times as long as one of
    /// MongoDB's batches takes.
    public static final int COMMAND_MILLIS = 2_000;

    /// As of every write of one document.
    private static final int DOCUMENT_MILLIS = (int) SessionCollection.LONGEST_WRITE.toMillis();

    /// Of further ones in the same request, which has waited enough.
    private static final int FURTHER_MILLIS = 500;

    /// When so many documents of one request have exceeded their limits, the rest is not tried.
    private static final int MAX_BLOCKED = 3;

    /// How many statements are sent separately, one after the other, to find the one that waits.
    private static final int MAX_SEPARATE = 500;

    private final MongoClient client;
    private final boolean retriesWrites;
    private final Optional<Duration> most;

    /// @param retriesWrites whether the connection string allows retryable writes
    public LimitedWrites(MongoClient client, boolean retriesWrites) {
        this(client, retriesWrites, Optional.empty());
    }

    private LimitedWrites(MongoClient client, boolean retriesWrites, Optional<Duration> most) {
        this.client = client;
        this.retriesWrites = retriesWrites;
        this.most = most;
    }

    /// The same for requests all of whose documents together have a limited time. No command is begun later: the
    /// documents that are left then are refused like those that wait. Where there are no other limits, each command
    /// has this one.
    public LimitedWrites within(Duration most) {
        return new LimitedWrites(client, retriesWrites, Optional.of(most));
    }

    /// Whether there are limits: sharded clusters have not been tested, and with a `timeoutMS` the driver has its own.
    public boolean areLimited() {
        return retriesWrites
                && client.getTimeout(TimeUnit.MILLISECONDS) == null
                && client.getClusterDescription().getType() == ClusterType.REPLICA_SET;
    }

    /// Inserts all documents that can be inserted.
    ///
    /// @param ordered whether those behind the first that fails are not inserted
    /// @return the errors of the others, each with its position
    /// @throws MongoException if more failed than single documents
    /// @throws UnknownOutcomeException if some were inserted before, or may have been
    public List<BulkWriteError> insert(
            MongoNamespace namespace, WriteConcern concern, List<RawBsonDocument> documents, boolean ordered) {
        if (!areLimited() || !concern.isAcknowledged()) {
            return unlimited(namespace, concern, documents, ordered);
        }
        return run("insert", namespace, concern, documents, ordered).errors;
    }

    private List<BulkWriteError> unlimited(
            MongoNamespace namespace, WriteConcern concern, List<RawBsonDocument> documents, boolean ordered) {
        var collection = commands()
                .getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                .withWriteConcern(concern);
        return BulkInserts.inBatches(collection, documents, ordered);
    }

    private MongoCluster commands() {
        return most.<MongoCluster>map(time -> client.withTimeout(time.toMillis(), TimeUnit.MILLISECONDS))
                .orElse(client);
    }

    /// Tries every write, as [BulkWrites#each].
    ///
    /// @param writes all inserts, or all replacements
    /// @throws MongoBulkWriteException when all are tried, if some failed
    BulkWriteResult each(
            MongoCollection<RawBsonDocument> collection, List<? extends WriteModel<RawBsonDocument>> writes) {
        boolean inserts = writes.getFirst() instanceof InsertOneModel;
        var statements = writes.stream().map(LimitedWrites::statement).toList();
        var done = run(
                inserts ? "insert" : "update",
                collection.getNamespace(),
                collection.getWriteConcern(),
                statements,
                false);
        var result =
                BulkWriteResult.acknowledged(done.inserted, done.matched, 0, done.modified, done.upserts, List.of());
        if (done.errors.isEmpty()) {
            return result;
        }
        throw new MongoBulkWriteException(result, done.errors, null, new ServerAddress(), Set.of());
    }

    private static RawBsonDocument statement(WriteModel<RawBsonDocument> write) {
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

    private Run run(
            String command,
            MongoNamespace namespace,
            WriteConcern concern,
            List<RawBsonDocument> statements,
            boolean ordered) {
        try (var sent = new RetryableStatements(client, command, namespace, statements)) {
            var run = new Run(sent, statements, command.equals("insert"), concern, ordered, most);
            try {
                run.all();
            } catch (MongoWriteConcernException | UnknownOutcomeException e) {
                throw e;
            } catch (MongoException e) {
                throw run.done() == 0 ? e : new UnknownOutcomeException(e);
            }
            run.errors.sort(Comparator.comparingInt(BulkWriteError::getIndex));
            run.upserts.sort(Comparator.comparingInt(BulkWriteUpsert::getIndex));
            return run;
        }
    }

    /// The statements of one request. Confined to it.
    private static final class Run {
        private final RetryableStatements statements;
        private final List<RawBsonDocument> documents;
        private final boolean inserts;
        private final WriteConcern concern;
        private final boolean ordered;
        private final Optional<Duration> most;
        private final long began = System.nanoTime();

        private final List<BulkWriteError> errors = new ArrayList<>();
        private final List<BulkWriteUpsert> upserts = new ArrayList<>();
        private int inserted;
        private int matched;
        private int modified;

        private int blocked;
        private boolean ended;

        Run(
                RetryableStatements statements,
                List<RawBsonDocument> documents,
                boolean inserts,
                WriteConcern concern,
                boolean ordered,
                Optional<Duration> most) {
            this.statements = statements;
            this.documents = documents;
            this.inserts = inserts;
            this.concern = concern;
            this.ordered = ordered;
            this.most = most;
        }

        /// The number of documents that were written.
        int done() {
            return inserted + matched + upserts.size();
        }

        void all() {
            var left =
                    new ArrayList<>(IntStream.range(0, documents.size()).boxed().toList());
            int limit = CommandBatches.MAX_STATEMENTS;
            int most = limit;
            while (!left.isEmpty() && !ended) {
                if (isLate()) {
                    left.forEach(this::refuse);
                    return;
                }
                var part = part(left, most);
                if (part.size() == 1 ? one(part.getFirst()) : many(part)) {
                    left.subList(0, part.size()).clear();
                    giveUp(left);
                    most = Math.min(most * 4, limit);
                    continue;
                }
                var executed = executed(part);
                left.removeAll(executed);
                passBlocked(left, executed.isEmpty() ? -1 : Collections.max(executed));
                limit = Math.max(part.size() / 2, 1); // a slow server carries out smaller ones in time
                most = limit;
            }
        }

        private boolean isLate() {
            return most.filter(time -> System.nanoTime() - began > time.toNanos())
                    .isPresent();
        }

        private List<Integer> part(List<Integer> left, int most) {
            int size = CommandBatches.first(
                    left, most, number -> documents.get(number).getByteLength());
            return List.copyOf(left.subList(0, size));
        }

        /// @return false if the time limit ended before all were tried
        private boolean many(List<Integer> numbers) {
            try {
                take(numbers, statements.send(numbers, ordered, concern, COMMAND_MILLIS));
                return true;
            } catch (MongoExecutionTimeoutException _) {
                return false;
            }
        }

        /// @return true
        private boolean one(int number) {
            try {
                var numbers = List.of(number);
                take(
                        numbers,
                        statements.send(numbers, ordered, concern, blocked == 0 ? DOCUMENT_MILLIS : FURTHER_MILLIS));
            } catch (MongoExecutionTimeoutException _) {
                blocked++;
                refuse(number);
            }
            return true;
        }

        private void refuse(int number) {
            errors.add(new BulkWriteError(
                    MongoCodes.OUT_OF_TIME, MongoCodes.blocked().message(), new BsonDocument(), number));
            ended = ended || ordered;
        }

        /// Sends the first statements behind the last executed one separately, until one is executed or exceeds its
        /// limit: those before were refused, and only their errors are missing. If many were, a smaller
        /// command finishes in time.
        private void passBlocked(List<Integer> left, int lastExecuted) {
            int before = blocked;
            int done = done();
            int separate = 0;
            var next = left.iterator();
            while (next.hasNext()
                    && !ended
                    && !isLate()
                    && blocked == before
                    && done() == done
                    && separate < MAX_SEPARATE) {
                int number = next.next();
                if (number > lastExecuted) {
                    separate++;
                    one(number);
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

        private void take(List<Integer> numbers, StatementsReply reply) {
            if (reply.waitsForConcern()) {
                statements.executed(numbers, concern).requireConcern();
            } else {
                reply.requireConcern();
            }
            var failed = reply.errors();
            errors.addAll(failed);
            ended = ended || (ordered && !failed.isEmpty());
            if (inserts) {
                inserted += reply.n();
            } else {
                upserts.addAll(reply.upserts());
                matched += reply.n() - reply.upserts().size();
                modified += reply.modified();
            }
        }

        /// Counts those that were executed before the time limit ended.
        private Set<Integer> executed(List<Integer> numbers) {
            var executed = statements.executed(numbers, concern);
            executed.requireConcern();
            int changed = executed.results().size() - executed.upserts().size();
            if (inserts) {
                inserted += executed.results().size();
            } else {
                upserts.addAll(executed.upserts());
                matched += changed;
                modified += changed;
            }
            return executed.results().keySet();
        }
    }
}
