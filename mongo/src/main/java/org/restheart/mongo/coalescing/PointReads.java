package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
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

/// Reads by `_id` that arrive together become one `{_id: {$in: […]}}`. Thread-safe.
public final class PointReads {
    private final Lanes<Shape, BsonValue, Found> lanes;

    /// Which reads may share a command: everything but the id.
    ///
    /// @param filter what else must match, such as an access rule's filter; empty for nothing
    /// @param projection must keep `_id`, by which results are told apart
    /// @param timeLimit MongoDB gives up after this; zero for no limit
    public record Shape(
            MongoNamespace namespace,
            BsonDocument filter,
            BsonDocument projection,
            ReadConcern readConcern,
            ReadPreference readPreference,
            Duration timeLimit) {}

    /// What a read found.
    ///
    /// @param sharing how many requests the command served
    public record Found(Optional<RawBsonDocument> document, int sharing) {}

    PointReads(MongoClient client, CoalescingConfig config, Executor threads, MeterRegistry registry) {
        lanes = new Lanes<>(shape -> new ReadFlight(client, shape), config, threads, new LaneMeters(registry, "read"));
    }

    /// Whether a read can be coalesced: its id can be told from others and the results carry their ids.
    public static boolean fits(BsonValue id, BsonDocument projection) {
        var keepsId = projection.get("_id");
        return CanonicalId.of(id).isPresent()
                && (keepsId == null || (keepsId.isNumber() && keepsId.asNumber().intValue() == 1));
    }

    /// Joins the lane of this shape; never waits.
    ///
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    public CompletableFuture<Found> submit(Shape shape, BsonValue id) {
        return lanes.submit(shape, id, 0);
    }

    private static final class ReadFlight implements Flight<BsonValue, Found> {
        private final MongoCollection<RawBsonDocument> collection;
        private final Shape shape;

        ReadFlight(MongoClient client, Shape shape) {
            this.shape = shape;
            this.collection = client.getDatabase(shape.namespace().getDatabaseName())
                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)
                    .withReadConcern(shape.readConcern())
                    .withReadPreference(shape.readPreference());
        }

        @Override
        public void fly(List<Ticket<BsonValue, Found>> tickets) {
            var waiting = new HashMap<Object, List<Ticket<BsonValue, Found>>>();
            for (var ticket : tickets) {
                var id = CanonicalId.of(ticket.request()).orElseThrow();
                waiting.computeIfAbsent(id, _ -> new ArrayList<>(1)).add(ticket);
            }
            int sharing = tickets.size();
            try (var cursor = collection
                    .find(filter(waiting))
                    .projection(shape.projection())
                    .maxTime(shape.timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                    .batchSize(waiting.size() + 1) // one more than there can be, so that one reply is all of them
                    .cursor()) {
                while (cursor.hasNext()) {
                    var document = cursor.next();
                    var answered = Optional.ofNullable(document.get("_id"))
                            .flatMap(CanonicalId::of)
                            .map(waiting::remove);
                    answered.ifPresent(them -> complete(them, new Found(Optional.of(document), sharing)));
                }
            }
            waiting.values().forEach(them -> complete(them, new Found(Optional.empty(), sharing)));
        }

        private BsonDocument filter(Map<Object, List<Ticket<BsonValue, Found>>> waiting) {
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

        private static void complete(List<Ticket<BsonValue, Found>> tickets, Found found) {
            tickets.forEach(ticket -> ticket.complete(found));
        }
    }
}
