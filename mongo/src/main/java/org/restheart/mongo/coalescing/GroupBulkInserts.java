package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;
import org.restheart.mongo.write.BulkInsert;
import org.restheart.mongo.write.PlainBulkInserts;

/// Combines small arrays of documents to one unordered insert. Each request gets the errors of its own documents; a
/// failure of the whole command fails all requests. Thread-safe.
final class GroupBulkInserts {
    /// MongoDB writes as many at once (`internalInsertMaxBatchSize`); a larger command only delays its first
    /// requests.
    private static final int MAX_DOCUMENTS = 500;

    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final MongoClient client;
    private final BatchQueues<Shape, List<RawBsonDocument>, BatchResult<List<BulkWriteError>>> queues;
    private final int maxBytes;

    /// Which inserts may share a command.
    private record Shape(MongoNamespace namespace, WriteConcern writeConcern) {}

    GroupBulkInserts(
            MongoClient client,
            CoalescingConfig config,
            Executor threads,
            Deployment deployment,
            MeterRegistry registry) {
        this.client = client;
        this.maxBytes = config.maxBatchBytes();
        this.queues = new BatchQueues<>(config, threads, deployment, new BatchMeters(registry, "bulk_insert"));
    }

    /// Whether it is small enough to be coalesced.
    boolean takes(BulkInsert insert) {
        return weight(insert) <= maxBytes / LARGE_PART;
    }

    /// Adds the insert to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<List<BulkWriteError>>> submit(BulkInsert insert) {
        var shape = new Shape(insert.namespace(), insert.writeConcern());
        return queues.submit(
                shape, () -> new BulkInsertCommand(client, shape), insert.documents(), (int) weight(insert));
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

        BulkInsertCommand(MongoClient client, Shape shape) {
            collection = client.getDatabase(shape.namespace().getDatabaseName())
                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(shape.writeConcern());
        }

        @Override
        public void run(List<PendingRequest<List<RawBsonDocument>, BatchResult<List<BulkWriteError>>>> requests) {
            var documents = new ArrayList<RawBsonDocument>();
            requests.forEach(pending -> documents.addAll(pending.request()));
            List<BulkWriteError> errors = List.of();
            try {
                collection.insertMany(documents, UNORDERED);
            } catch (MongoBulkWriteException e) {
                SharedConcern.require(e);
                errors = PlainBulkInserts.errors(e);
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
