package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.WriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;

/// Inserts of single documents that arrive together leave as one unordered insert. Each caller learns what became of
/// its
/// own document; a failure of the whole command (a lost connection after the driver's retry, an unsatisfied write
/// concern) reaches all of them. Thread-safe.
public final class GroupInserts {
    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final Lanes<Shape, RawBsonDocument, Outcome> lanes;

    /// Which inserts may share a command.
    public record Shape(MongoNamespace namespace, WriteConcern writeConcern) {}

    /// What became of one document.
    public sealed interface Outcome {}

    /// @param sharing how many requests the command served
    public record Inserted(int sharing) implements Outcome {}

    /// MongoDB refused this document: a duplicate key, a failed validation.
    public record Refused(WriteError error) implements Outcome {}

    GroupInserts(MongoClient client, CoalescingConfig config, Executor threads, MeterRegistry registry) {
        lanes = new Lanes<>(
                shape -> new InsertFlight(client, shape), config, threads, new LaneMeters(registry, "insert"));
    }

    /// Joins the lane of this shape; never waits.
    ///
    /// @param document with its `_id`; at most as large as MongoDB takes, else the driver refuses the whole batch
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    public CompletableFuture<Outcome> submit(Shape shape, RawBsonDocument document) {
        return lanes.submit(shape, document, document.getByteBuffer().remaining());
    }

    private static final class InsertFlight implements Flight<RawBsonDocument, Outcome> {
        private final MongoCollection<RawBsonDocument> collection;

        InsertFlight(MongoClient client, Shape shape) {
            collection = client.getDatabase(shape.namespace().getDatabaseName())
                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(shape.writeConcern());
        }

        @Override
        public void fly(List<Ticket<RawBsonDocument, Outcome>> tickets) {
            if (tickets.size() == 1) {
                insertOne(tickets.getFirst());
            } else {
                insertMany(tickets);
            }
        }

        private void insertOne(Ticket<RawBsonDocument, Outcome> ticket) {
            try {
                collection.insertOne(ticket.request());
                ticket.complete(new Inserted(1));
            } catch (MongoWriteException e) {
                ticket.complete(new Refused(e.getError()));
            }
        }

        private void insertMany(List<Ticket<RawBsonDocument, Outcome>> tickets) {
            try {
                collection.insertMany(tickets.stream().map(Ticket::request).toList(), UNORDERED);
            } catch (MongoBulkWriteException e) {
                for (var error : e.getWriteErrors()) {
                    tickets.get(error.getIndex()).complete(new Refused(error));
                }
                if (e.getWriteConcernError() != null) {
                    throw e;
                }
            }
            var inserted = new Inserted(tickets.size());
            tickets.forEach(ticket -> ticket.complete(inserted)); // the refused ones have their outcome already
        }
    }
}
