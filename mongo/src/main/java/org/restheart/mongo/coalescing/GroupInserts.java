package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;
import org.restheart.mongo.write.Insert;
import org.restheart.mongo.write.InsertOutcome;

/// Combines inserts of single documents to one unordered insert. Each request gets the outcome of its own document;
/// a failure of the whole command (a lost connection after the driver's retry, an unsatisfied write concern) fails
/// all requests. Thread-safe.
final class GroupInserts {
    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final MongoClient client;
    private final BatchQueues<Shape, RawBsonDocument, BatchResult<InsertOutcome>> queues;

    /// Which inserts may share a command.
    private record Shape(MongoNamespace namespace, WriteConcern writeConcern) {}

    GroupInserts(
            MongoClient client,
            CoalescingConfig config,
            Executor threads,
            Deployment deployment,
            MeterRegistry registry) {
        this.client = client;
        this.queues = new BatchQueues<>(config, threads, deployment, new BatchMeters(registry, "insert"));
    }

    /// Adds the insert to the queue of its shape; never blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<InsertOutcome>> submit(Insert insert) {
        var document = insert.document();
        var shape = new Shape(insert.namespace(), insert.writeConcern());
        return queues.submit(
                shape,
                () -> new InsertCommand(client, shape),
                document,
                document.getByteBuffer().remaining());
    }

    private static final class InsertCommand implements BatchCommand<RawBsonDocument, BatchResult<InsertOutcome>> {
        private final MongoCollection<RawBsonDocument> collection;

        InsertCommand(MongoClient client, Shape shape) {
            collection = client.getDatabase(shape.namespace().getDatabaseName())
                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(shape.writeConcern());
        }

        @Override
        public void run(List<PendingRequest<RawBsonDocument, BatchResult<InsertOutcome>>> requests) {
            if (requests.size() == 1) {
                insertOne(requests.getFirst());
            } else {
                insertMany(requests);
            }
        }

        private void insertOne(PendingRequest<RawBsonDocument, BatchResult<InsertOutcome>> pending) {
            try {
                collection.insertOne(pending.request());
                pending.complete(new BatchResult<>(new InsertOutcome.Inserted(), 1));
            } catch (MongoWriteException e) {
                pending.complete(new BatchResult<>(new InsertOutcome.Refused(e.getError()), 1));
            }
        }

        private static List<RawBsonDocument> documents(
                List<PendingRequest<RawBsonDocument, BatchResult<InsertOutcome>>> requests) {
            var documents = new ArrayList<RawBsonDocument>(requests.size());
            requests.forEach(pending -> documents.add(pending.request()));
            return documents;
        }

        private void insertMany(List<PendingRequest<RawBsonDocument, BatchResult<InsertOutcome>>> requests) {
            int sharing = requests.size();
            try {
                collection.insertMany(documents(requests), UNORDERED);
            } catch (MongoBulkWriteException e) {
                for (var error : e.getWriteErrors()) {
                    requests.get(error.getIndex())
                            .complete(new BatchResult<>(new InsertOutcome.Refused(error), sharing));
                }
                SharedConcern.require(e);
            }
            var inserted = new BatchResult<InsertOutcome>(new InsertOutcome.Inserted(), sharing);
            requests.forEach(pending -> pending.complete(inserted)); // the refused ones have their outcome already
        }
    }
}
