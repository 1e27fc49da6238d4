package org.restheart.mongo.coalescing;

import com.mongodb.bulk.BulkWriteError;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.write.BulkInserts;
import org.restheart.mongo.write.LimitedWrites;

/// Coalesces small arrays of documents to one unordered insert ([InsertCommand]). Those of one caller share a command,
/// see [Target#ofCaller()]. Thread-safe.
final class CoalescedBulkInserts implements BulkInserts {
    /// MongoDB writes as many at once (`internalInsertMaxBatchSize`); a larger command only delays its first
    /// requests.
    private static final int MAX_DOCUMENTS = 500;

    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private final Batching batching;
    private final LimitedWrites limited;
    private final BlockedDocuments blocked;
    private final BatchQueues<Target, List<RawBsonDocument>, BatchResult<List<BulkWriteError>>> queues;
    private final int maxBytes;
    private final BulkInserts alone;

    /// Inserts alone large arrays, those with documents that are blocked, and what is unacknowledged.
    CoalescedBulkInserts(Batching batching, LimitedWrites limited, BlockedDocuments blocked) {
        this.batching = batching.withLimitedBytes();
        this.limited = limited;
        this.blocked = blocked;
        this.maxBytes = this.batching.config().maxBatchBytes();
        this.queues = this.batching.queues("bulk_insert");
        this.alone = BulkInserts.limited(limited);
    }

    @Override
    public Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged()
                        && isSmall(insert)
                        && !blocked.contain(insert.namespace(), insert.documents())
                ? batching.defer(submit(insert), answer)
                : alone.insert(request, insert, answer);
    }

    /// Whether it is small enough to be coalesced.
    boolean isSmall(BulkInsert insert) {
        return weight(insert) <= maxBytes / LARGE_PART;
    }

    /// Adds the insert to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<List<BulkWriteError>>> submit(BulkInsert insert) {
        var target = new Target(insert.namespace(), insert.writeConcern()).ofCaller();
        return queues.submit(
                target,
                () -> new InsertCommand<>(batching, target, limited, blocked, Function.identity(), Function.identity()),
                insert.documents(),
                (int) weight(insert));
    }

    /// In bytes: a document counts at least its share of [#MAX_DOCUMENTS], so that the queue's bound of bytes also
    /// bounds documents.
    private long weight(BulkInsert insert) {
        long least = maxBytes / MAX_DOCUMENTS;
        long weight = 0;
        for (var document : insert.documents()) {
            weight += Math.max(least, document.getByteLength());
        }
        return weight;
    }
}
