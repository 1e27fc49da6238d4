package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.restheart.mongo.write.DocumentWrite;

/// Combines updates, or removals, of single documents to the statements of one unordered command, see
/// [StatementsCommand]. Thread-safe.
///
/// @param <O> the outcome
final class GroupWrites<O> {
    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    /// MongoDB's limit of a command is 16 MiB.
    private static final int MAX_BYTES = 8 << 20;

    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private final MongoClient client;
    private final String command;
    private final BatchQueues<Shape, Statement<O>, BatchResult<O>> queues;
    private final BlockedDocuments blocked;
    private final Deployment deployment;
    private final int maxBytes;

    /// Which writes may share a command.
    private record Shape(MongoNamespace namespace, WriteConcern writeConcern) {}

    /// A write and its statement.
    record Statement<O>(DocumentWrite<O> write, RawBsonDocument bytes) {}

    /// @param command `update` or `delete`, the kind in meters too
    GroupWrites(
            MongoClient client,
            String command,
            BlockedDocuments blocked,
            CoalescingConfig config,
            Executor threads,
            Deployment deployment,
            MeterRegistry registry) {
        this.client = client;
        this.command = command;
        this.blocked = blocked;
        this.deployment = deployment;
        this.maxBytes = Math.min(config.maxBatchBytes(), MAX_BYTES);
        this.queues = new BatchQueues<>(
                config.withMaxBatchBytes(maxBytes), threads, deployment, new BatchMeters(registry, command));
    }

    /// The statement of a write; empty for one that is sent separately: it cannot share a command, is too large, or
    /// there is no replica set. A standalone server does not record executed statements, and sharded clusters have
    /// not been tested.
    Optional<Statement<O>> statement(DocumentWrite<O> write) {
        return !deployment.isReplicaSet() || blocked.contain(write)
                ? Optional.empty()
                : write.statement()
                        .map(statement -> new RawBsonDocument(statement, CODEC))
                        .filter(bytes -> bytes.getByteLength() <= maxBytes / LARGE_PART)
                        .map(bytes -> new Statement<>(write, bytes));
    }

    /// Adds the write to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<O>> submit(Statement<O> statement) {
        var write = statement.write();
        var shape = new Shape(write.namespace(), write.writeConcern());
        return queues.submit(
                shape,
                () -> new StatementsCommand<>(client, command, shape.namespace(), shape.writeConcern(), blocked),
                statement,
                statement.bytes().getByteLength());
    }
}
