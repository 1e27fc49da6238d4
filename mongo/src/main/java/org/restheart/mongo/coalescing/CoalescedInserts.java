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
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.TimeLimitedWrites;

/// Coalesces single documents, or small arrays of them, to one unordered insert ([InsertCommand]). Those of one caller
/// share a command, see [Target#ofCaller()]. Thread-safe.
final class CoalescedInserts implements Inserts {
    /// MongoDB writes as many at once (`internalInsertMaxBatchSize`); a larger command only delays its first
    /// requests.
    private static final int MAX_DOCUMENTS = 500;

    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private final Batching batching;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked;
    private final BatchQueues<Target, List<RawBsonDocument>, List<BulkWriteError>> queues;
    private final long largest;
    private final long leastWeight;
    private final Inserts alone;

    private CoalescedInserts(
            Batching batching,
            String kind,
            TimeLimitedWrites limited,
            BlockedDocuments blocked,
            long largest,
            long leastWeight) {
        this.batching = batching;
        this.limited = limited;
        this.blocked = blocked;
        this.queues = batching.queues(kind);
        this.largest = largest;
        this.leastWeight = leastWeight;
        this.alone = Inserts.limited(limited);
    }

    /// Inserts of one document each. Inserts alone those that are blocked, and what is unacknowledged, which has no
    /// outcome.
    static CoalescedInserts ofOne(Batching batching, TimeLimitedWrites limited, BlockedDocuments blocked) {
        return new CoalescedInserts(batching.withLimitedBytes(), "insert", limited, blocked, Long.MAX_VALUE, 0);
    }

    /// Inserts of arrays. Inserts alone large ones, too. A document counts at least its share of [#MAX_DOCUMENTS], so
    /// that the queue's bound of bytes also bounds documents.
    static CoalescedInserts ofMany(Batching batching, TimeLimitedWrites limited, BlockedDocuments blocked) {
        var bounded = batching.withLimitedBytes();
        int bytes = bounded.config().maxBatchBytes();
        return new CoalescedInserts(
                bounded, "bulk_insert", limited, blocked, bytes / LARGE_PART, bytes / MAX_DOCUMENTS);
    }

    @Override
    public Response insert(Request request, Insert insert, Function<List<BulkWriteError>, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged()
                        && isSmall(insert)
                        && !blocked.contain(insert.namespace(), insert.documents())
                ? batching.defer(submit(insert), answer)
                : alone.insert(request, insert, answer);
    }

    /// Whether it is small enough to be coalesced.
    boolean isSmall(Insert insert) {
        return weight(insert) <= largest;
    }

    /// Adds the insert to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<List<BulkWriteError>>> submit(Insert insert) {
        var target = new Target(insert.namespace(), insert.writeConcern()).ofCaller();
        return queues.submit(
                target, () -> new InsertCommand(batching, target, limited, blocked), insert.documents(), (int)
                        weight(insert));
    }

    /// In bytes.
    private long weight(Insert insert) {
        long weight = 0;
        for (var document : insert.documents()) {
            weight += Math.max(leastWeight, document.getByteLength());
        }
        return weight;
    }
}
