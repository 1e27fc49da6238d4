package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.LimitedWrites;

/// Coalesces inserts of single documents to one unordered insert ([InsertCommand]). Those of one caller share a
/// command, see [Target#ofCaller()]. Thread-safe.
final class CoalescedInserts implements Inserts {
    private final Batching batching;
    private final LimitedWrites limited;
    private final BlockedDocuments blocked;
    private final BatchQueues<Target, RawBsonDocument, BatchResult<Outcome>> queues;
    private final Inserts alone;

    /// Inserts alone what is unacknowledged, which has no outcome, and documents that are blocked.
    CoalescedInserts(Batching batching, LimitedWrites limited, BlockedDocuments blocked) {
        this.batching = batching.withLimitedBytes();
        this.limited = limited;
        this.blocked = blocked;
        this.queues = this.batching.queues("insert");
        this.alone = Inserts.limited(limited);
    }

    @Override
    public Response insert(Request request, Insert insert, Function<Outcome, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged()
                        && !blocked.contain(insert.namespace(), List.of(insert.document()))
                ? batching.defer(submit(insert), answer)
                : alone.insert(request, insert, answer);
    }

    /// Adds the insert to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<Outcome>> submit(Insert insert) {
        var document = insert.document();
        var target = new Target(insert.namespace(), insert.writeConcern()).ofCaller();
        return queues.submit(
                target,
                () -> new InsertCommand<>(batching, target, limited, blocked, List::of, Inserts::outcome),
                document,
                document.getByteBuffer().remaining());
    }
}
