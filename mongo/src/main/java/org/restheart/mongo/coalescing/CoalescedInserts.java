package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteException;
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
import org.restheart.mongo.write.Inserts;

/// Coalesces inserts of single documents to one unordered insert. Each request gets the outcome of its own document;
/// a failure of the whole command (a lost connection after the driver's retry, an unsatisfied write concern) fails
/// all requests. Those of one caller share a command, see [Target#ofCaller()]. Thread-safe.
final class CoalescedInserts implements Inserts {
    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final Batching batching;
    private final BatchQueues<Target, RawBsonDocument, BatchResult<Outcome>> queues;
    private final Inserts alone;

    /// @param alone for unacknowledged inserts, which have no outcome
    CoalescedInserts(Batching batching, Inserts alone) {
        this.batching = batching;
        this.queues = batching.queues("insert");
        this.alone = alone;
    }

    @Override
    public Response insert(Request request, Insert insert, Function<Outcome, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged()
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
                () -> new InsertCommand(batching.client(), target),
                document,
                document.getByteBuffer().remaining());
    }

    private static final class InsertCommand implements BatchCommand<RawBsonDocument, BatchResult<Outcome>> {
        private final MongoCollection<RawBsonDocument> collection;

        InsertCommand(MongoClient client, Target target) {
            collection = target.collection(client);
        }

        @Override
        public void run(List<PendingRequest<RawBsonDocument, BatchResult<Outcome>>> requests) {
            if (requests.size() == 1) {
                insertOne(requests.getFirst());
            } else {
                insertMany(requests);
            }
        }

        private void insertOne(PendingRequest<RawBsonDocument, BatchResult<Outcome>> pending) {
            try {
                collection.insertOne(pending.request());
                pending.complete(new BatchResult<>(new Outcome.Inserted(), 1));
            } catch (MongoWriteException e) {
                pending.complete(new BatchResult<>(new Outcome.Refused(e.getError()), 1));
            }
        }

        private static List<RawBsonDocument> documents(
                List<PendingRequest<RawBsonDocument, BatchResult<Outcome>>> requests) {
            var documents = new ArrayList<RawBsonDocument>(requests.size());
            requests.forEach(pending -> documents.add(pending.request()));
            return documents;
        }

        private void insertMany(List<PendingRequest<RawBsonDocument, BatchResult<Outcome>>> requests) {
            int sharing = requests.size();
            try {
                collection.insertMany(documents(requests), UNORDERED);
            } catch (MongoBulkWriteException e) {
                for (var error : e.getWriteErrors()) {
                    requests.get(error.getIndex()).complete(new BatchResult<>(new Outcome.Refused(error), sharing));
                }
                Batching.requireConcern(e);
            }
            var inserted = new BatchResult<Outcome>(new Outcome.Inserted(), sharing);
            requests.forEach(pending -> pending.complete(inserted)); // the refused ones have their outcome already
        }
    }
}
