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

/// Inserts of single documents that arrive together leave as one unordered insert. Each caller learns what became of
/// its own document; a failure of the whole command (a lost connection after the driver's retry, an unsatisfied
/// write concern) reaches all of them. Thread-safe.
final class GroupInserts {
    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final Lanes<Shape, RawBsonDocument, Landed<InsertOutcome>> lanes;

    /// Which inserts may share a command.
    private record Shape(MongoNamespace namespace, WriteConcern writeConcern) {}

    GroupInserts(MongoClient client, CoalescingConfig config, Executor threads, MeterRegistry registry) {
        lanes = new Lanes<>(
                shape -> new InsertFlight(client, shape), config, threads, new LaneMeters(registry, "insert"));
    }

    /// Joins the lane of this insert's shape; never waits.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<Landed<InsertOutcome>> submit(Insert insert) {
        var document = insert.document();
        return lanes.submit(
                new Shape(insert.namespace(), insert.writeConcern()),
                document,
                document.getByteBuffer().remaining());
    }

    private static final class InsertFlight implements Flight<RawBsonDocument, Landed<InsertOutcome>> {
        private final MongoCollection<RawBsonDocument> collection;

        InsertFlight(MongoClient client, Shape shape) {
            collection = client.getDatabase(shape.namespace().getDatabaseName())
                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(shape.writeConcern());
        }

        @Override
        public void fly(List<Ticket<RawBsonDocument, Landed<InsertOutcome>>> tickets) {
            if (tickets.size() == 1) {
                insertOne(tickets.getFirst());
            } else {
                insertMany(tickets);
            }
        }

        private void insertOne(Ticket<RawBsonDocument, Landed<InsertOutcome>> ticket) {
            try {
                collection.insertOne(ticket.request());
                ticket.complete(new Landed<>(new InsertOutcome.Inserted(), 1));
            } catch (MongoWriteException e) {
                ticket.complete(new Landed<>(new InsertOutcome.Refused(e.getError()), 1));
            }
        }

        private static List<RawBsonDocument> documents(List<Ticket<RawBsonDocument, Landed<InsertOutcome>>> tickets) {
            var documents = new ArrayList<RawBsonDocument>(tickets.size());
            tickets.forEach(ticket -> documents.add(ticket.request()));
            return documents;
        }

        private void insertMany(List<Ticket<RawBsonDocument, Landed<InsertOutcome>>> tickets) {
            int sharing = tickets.size();
            try {
                collection.insertMany(documents(tickets), UNORDERED);
            } catch (MongoBulkWriteException e) {
                for (var error : e.getWriteErrors()) {
                    tickets.get(error.getIndex()).complete(new Landed<>(new InsertOutcome.Refused(error), sharing));
                }
                SharedConcern.require(e);
            }
            var inserted = new Landed<InsertOutcome>(new InsertOutcome.Inserted(), sharing);
            tickets.forEach(ticket -> ticket.complete(inserted)); // the refused ones have their outcome already
        }
    }
}
