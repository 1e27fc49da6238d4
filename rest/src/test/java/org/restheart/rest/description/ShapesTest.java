package org.restheart.rest.description;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.data.Access;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.DataApi;
import org.restheart.rest.MongoService;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class ShapesTest {
    private final Queue<Shapes.Sample> outcomes = new ConcurrentLinkedQueue<>();

    @Test
    void rights_that_differ_only_in_the_order_of_fields_share_no_shape(TestMongo mongo) {
        var namespace = new MongoNamespace(mongo.databaseName(), "ordered");
        var documents = mongo.database().getCollection("ordered", BsonDocument.class);
        documents.insertOne(BsonDocument.parse("{a: {x: 1, y: 2}, first: true}"));
        documents.insertOne(BsonDocument.parse("{a: {y: 2, x: 1}, second: true}"));
        try (var tasks = new BackgroundTasks();
                var service = new MongoService(tasks, DataApi.defaults(), mongo.client(), new SimpleMeterRegistry())) {
            var shapes = shapes(service, 10);

            assertThat(names(shapes, namespace, "{a: {x: 1, y: 2}}"))
                    .contains("first")
                    .doesNotContain("second");
            assertThat(names(shapes, namespace, "{a: {y: 2, x: 1}}"))
                    .contains("second")
                    .doesNotContain("first");
        }
    }

    @Test
    void a_sample_of_a_large_collection_has_documents_from_everywhere(TestMongo mongo) {
        var documents = mongo.database().getCollection("large", BsonDocument.class);
        documents.insertMany(IntStream.range(0, 4_500)
                .mapToObj(i -> BsonDocument.parse("{_id: " + i + ", kind: 'k'"
                        + (i > 500 && i < 4_000 ? ", middle: 1" : "") + (i > 4_490 ? ", late: 1" : "") + "}"))
                .toList());
        mongo.database().createView("seen", "large", List.of(BsonDocument.parse("{$match: {kind: 'k'}}")));
        try (var tasks = new BackgroundTasks();
                var service = new MongoService(tasks, DataApi.defaults(), mongo.client(), new SimpleMeterRegistry())) {
            var shapes = shapes(service, 200);
            var large = new MongoNamespace(mongo.databaseName(), "large");
            assertThat(names(shapes, large, new Access.Root())).contains("_id", "kind", "middle", "late");
            assertThat(names(shapes, large, "{kind: 'k'}")).containsExactlyInAnyOrder("_id", "kind", "late");
            var view = new MongoNamespace(mongo.databaseName(), "seen");
            assertThat(names(shapes, view, new Access.Root())).containsExactlyInAnyOrder("_id", "kind", "late");
        }
    }

    private Shapes shapes(MongoService service, int size) {
        return service.descriptions().shapes(new Shapes.Settings(size, Duration.ofMinutes(1), 1, false), outcomes::add);
    }

    private Set<String> names(Shapes shapes, MongoNamespace namespace, String filter) {
        return names(
                shapes,
                namespace,
                new Access.RowPolicy(
                        Set.of(),
                        Optional.of(BsonDocument.parse(filter)),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false));
    }

    /// By another sample if a time limit has cut this one short, as on a busy machine.
    private Set<String> names(Shapes shapes, MongoNamespace namespace, Access rights) {
        var again = new AtomicBoolean();
        var names = new HashSet<String>();
        await().until(() -> {
            names.clear();
            names.addAll(shapes.of(namespace, rights, again.getAndSet(true))
                    .join()
                    .root()
                    .byName()
                    .keySet());
            var taken = outcomes.poll();
            return taken == null || taken.outcome().equals("complete");
        });
        return names;
    }
}
