package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.write.BulkInserts;

/// Coalesces small arrays of documents to one unordered insert. Each request gets the errors of its own documents; a
/// failure of the whole command fails all requests. Those of one caller share a command, see [Target#ofCaller()].
/// Thread-safe.
final class CoalescedBulkInserts implements BulkInserts {
    /// MongoDB writes as many at once (`internalInsertMaxBatchSize`); a larger command only delays its first
    /// requests.
    private static final int MAX_DOCUMENTS = 500;

    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final Batching batching;
    private final BatchQueues<Target, List<RawBsonDocument>, BatchResult<List<BulkWriteError>>> queues;
    private final int maxBytes;
    private final BulkInserts alone;

    /// @param alone for large arrays and unacknowledged inserts
    CoalescedBulkInserts(Batching batching, BulkInserts alone) {
        this.batching = batching;
        this.maxBytes = batching.config().maxBatchBytes();
        this.queues = batching.queues("bulk_insert");
        this.alone = alone;
    }

    @Override
    public Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged() && isSmall(insert)
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
        return queues.submit(target, () -> new BulkInsertCommand(batching.client(), target), insert.documents(), (int)
                weight(insert));
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

    private static final class BulkInsertCommand
            implements BatchCommand<List<RawBsonDocument>, BatchResult<List<BulkWriteError>>> {
        private final MongoCollection<RawBsonDocument> collection;

        BulkInsertCommand(MongoClient client, Target target) {
            collection = target.collection(client);
        }

        @Override
        public void run(List<PendingRequest<List<RawBsonDocument>, BatchResult<List<BulkWriteError>>>> requests) {
            var documents = new ArrayList<RawBsonDocument>();
            requests.forEach(pending -> documents.addAll(pending.request()));
            List<BulkWriteError> errors = List.of();
            try {
                collection.insertMany(documents, UNORDERED);
            } catch (MongoBulkWriteException e) {
                Batching.requireConcern(e);
                errors = BulkInserts.errors(e);
            }
            int from = 0;
            for (var pending : requests) {
                int to = from + pending.request().size();
                pending.complete(new BatchResult<>(within(errors, from, to), requests.size()));
                from = to;
            }
        }

        /// The errors of some of the documents, counted from the first of them.
        private static List<BulkWriteError> within(List<BulkWriteError> errors, int from, int to) {
            return errors.stream()
                    .filter(error -> error.getIndex() >= from && error.getIndex() < to)
                    .map(error -> new BulkWriteError(
                            error.getCode(), error.getMessage(), error.getDetails(), error.getIndex() - from))
                    .toList();
        }
    }
}
