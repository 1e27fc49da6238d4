package org.restheart.mongo.coalescing;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrites;

/// Coalesces updates, or removals, of single documents to the statements of one unordered command, see
/// [StatementsCommand]. Upserts of one caller share a command, see [Target#ofCaller()]. Thread-safe.
///
/// @param <O> the outcome
final class CoalescedWrites<O> implements DocumentWrites<O> {
    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private final Batching batching;
    private final String command;
    private final BatchQueues<Target, Statement<O>, O> queues;
    private final BlockedDocuments blocked;
    private final Deployment deployment;
    private final int maxBytes;
    private final DocumentWrites<O> alone = DocumentWrites.alone();

    /// A write and its statement.
    record Statement<O>(DocumentWrite<O> write, RawBsonDocument bytes) {
        boolean isUpsert() {
            return bytes.containsKey("upsert");
        }
    }

    /// @param command `update` or `delete`, the kind in meters too
    CoalescedWrites(Batching batching, String command, BlockedDocuments blocked) {
        this.batching = batching.withLimitedBytes();
        this.command = command;
        this.blocked = blocked;
        this.deployment = batching.deployment();
        this.maxBytes = this.batching.config().maxBatchBytes();
        this.queues = this.batching.queues(command);
    }

    @Override
    public Response write(Request request, boolean plain, DocumentWrite<O> write, Function<O, Response.Ready> answer) {
        var statement = plain ? statement(write) : Optional.<Statement<O>>empty();
        return statement.isPresent()
                ? batching.defer(submit(statement.get()), answer)
                : alone.write(request, plain, write, answer);
    }

    /// The statement of a write; empty for one that is sent separately: it cannot share a command, is too large, or
    /// there is no replica set. A standalone server does not record executed statements, and sharded clusters have
    /// not been tested.
    Optional<Statement<O>> statement(DocumentWrite<O> write) {
        return !deployment.isReplicaSet() || blocked.contain(write)
                ? Optional.empty()
                : write.statement()
                        .map(statement -> RawDocuments.encode(statement))
                        .filter(bytes -> bytes.getByteLength() <= maxBytes / LARGE_PART)
                        .map(bytes -> new Statement<>(write, bytes));
    }

    /// Adds the write to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<O>> submit(Statement<O> statement) {
        var write = statement.write();
        var ofAll = new Target(write.namespace(), write.writeConcern());
        var target = statement.isUpsert() ? ofAll.ofCaller() : ofAll;
        return queues.submit(
                target,
                () -> new StatementsCommand<>(batching.client(), command, target, blocked),
                statement,
                statement.bytes().getByteLength());
    }
}
