package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCluster;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.WriteModel;
import com.mongodb.connection.ClusterType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.error.UnknownOutcomeException;

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
public final class TimeLimitedWrites {
    /// The time limit of a command with several statements, of one request or of several: many times as long as one of
    /// MongoDB's batches takes.
    public static final int COMMAND_MILLIS = 2_000;

    private final MongoClient client;
    private final boolean retriesWrites;
    private final Optional<Duration> most;

    /// @param retriesWrites whether the connection string allows retryable writes
    public TimeLimitedWrites(MongoClient client, boolean retriesWrites) {
        this(client, retriesWrites, Optional.empty());
    }

    private TimeLimitedWrites(MongoClient client, boolean retriesWrites, Optional<Duration> most) {
        this.client = client;
        this.retriesWrites = retriesWrites;
        this.most = most;
    }

    /// The same for requests all of whose documents together have a limited time. No command is begun later: the
    /// documents that are left then are refused like those that wait. Where there are no other limits, each command
    /// has this one.
    public TimeLimitedWrites within(Duration most) {
        return new TimeLimitedWrites(client, retriesWrites, Optional.of(most));
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
        return run("insert", namespace, concern, documents, ordered).errors();
    }

    private List<BulkWriteError> unlimited(
            MongoNamespace namespace, WriteConcern concern, List<RawBsonDocument> documents, boolean ordered) {
        var collection = commands()
                .getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                .withWriteConcern(concern);
        return Inserts.inBatches(collection, documents, ordered);
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
        var statements = writes.stream().map(TimeLimitedWrites::statement).toList();
        return run(
                        inserts ? "insert" : "update",
                        collection.getNamespace(),
                        collection.getWriteConcern(),
                        statements,
                        false)
                .result();
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

    private TimeLimitedRun run(
            String command,
            MongoNamespace namespace,
            WriteConcern concern,
            List<RawBsonDocument> statements,
            boolean ordered) {
        try (var sent = new RetryableStatements(client, command, namespace, statements)) {
            return new TimeLimitedRun(sent, statements, command.equals("insert"), concern, ordered, most).all();
        }
    }
}
