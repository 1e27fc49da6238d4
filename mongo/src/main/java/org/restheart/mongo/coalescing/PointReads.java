package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;

/// Reads by `_id` that arrive together become one `{_id: {$in: […]}}`. Thread-safe.
final class PointReads {
    private final Lanes<Shape, BsonValue, Landed<Optional<RawBsonDocument>>> lanes;

    /// Which reads may share a command: everything but the id.
    private record Shape(MongoNamespace namespace, BsonDocument filter, Projection projection, ReadSettings settings) {}

    PointReads(MongoClient client, CoalescingConfig config, Executor threads, MeterRegistry registry) {
        lanes = new Lanes<>(shape -> new ReadFlight(client, shape), config, threads, new LaneMeters(registry, "read"));
    }

    /// Whether a read can be coalesced: its id can be told from others and the results carry their ids. The
    /// collection must be plain, too.
    static boolean fits(DocumentQuery query) {
        if (query.projection().isStaged() || CanonicalId.of(query.id()).isEmpty()) {
            return false;
        }
        var keepsId = query.projection().single().get("_id");
        return keepsId == null || (keepsId.isNumber() && keepsId.asNumber().intValue() == 1);
    }

    /// Joins the lane of this query's shape; never waits.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<Landed<Optional<RawBsonDocument>>> submit(DocumentQuery query) {
        var shape = new Shape(query.namespace(), query.filter(), query.projection(), query.settings());
        return lanes.submit(shape, query.id(), 0);
    }

    private static final class ReadFlight implements Flight<BsonValue, Landed<Optional<RawBsonDocument>>> {
        private final MongoCollection<RawBsonDocument> collection;
        private final Shape shape;

        ReadFlight(MongoClient client, Shape shape) {
            this.shape = shape;
            this.collection = shape.settings()
                    .apply(client.getDatabase(shape.namespace().getDatabaseName())
                            .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class));
        }

        @Override
        public void fly(List<Ticket<BsonValue, Landed<Optional<RawBsonDocument>>>> tickets) {
            var waiting = new HashMap<Object, List<Ticket<BsonValue, Landed<Optional<RawBsonDocument>>>>>();
            for (var ticket : tickets) {
                var id = CanonicalId.of(ticket.request()).orElseThrow();
                waiting.computeIfAbsent(id, _ -> new ArrayList<>(1)).add(ticket);
            }
            int sharing = tickets.size();
            try (var cursor = collection
                    .find(filter(waiting))
                    .projection(shape.projection().single())
                    .maxTime(shape.settings().timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                    .batchSize(waiting.size() + 1) // one more than there can be, so that one reply is all of them
                    .cursor()) {
                while (cursor.hasNext()) {
                    var document = cursor.next();
                    var answered = RawDocuments.get(document, "_id")
                            .flatMap(CanonicalId::of)
                            .map(waiting::remove);
                    answered.ifPresent(them -> complete(them, new Landed<>(Optional.of(document), sharing)));
                }
            }
            waiting.values().forEach(them -> complete(them, new Landed<>(Optional.empty(), sharing)));
        }

        private BsonDocument filter(Map<Object, List<Ticket<BsonValue, Landed<Optional<RawBsonDocument>>>>> waiting) {
            BsonValue ids;
            if (waiting.size() == 1) {
                ids = waiting.values().iterator().next().getFirst().request();
            } else {
                var in = new BsonArray(waiting.size());
                waiting.values().forEach(them -> in.add(them.getFirst().request()));
                ids = new BsonDocument("$in", in);
            }
            var filter = new BsonDocument("_id", ids);
            return shape.filter().isEmpty() ? filter : filter.append("$and", new BsonArray(List.of(shape.filter())));
        }

        private static void complete(
                List<Ticket<BsonValue, Landed<Optional<RawBsonDocument>>>> tickets,
                Landed<Optional<RawBsonDocument>> found) {
            tickets.forEach(ticket -> ticket.complete(found));
        }
    }
}
