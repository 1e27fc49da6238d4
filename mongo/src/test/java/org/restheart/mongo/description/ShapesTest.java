package org.restheart.mongo.description;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.MongoService;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.reading.ReadRights;
import org.restheart.mongo.resource.Mount;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class ShapesTest {
    @Test
    void rights_that_differ_only_in_the_order_of_fields_share_no_shape(TestMongo mongo) {
        var namespace = new MongoNamespace(mongo.databaseName(), "ordered");
        var documents = mongo.database().getCollection("ordered", BsonDocument.class);
        documents.insertOne(BsonDocument.parse("{a: {x: 1, y: 2}, first: true}"));
        documents.insertOne(BsonDocument.parse("{a: {y: 2, x: 1}, second: true}"));
        try (var tasks = new BackgroundTasks();
                var service = new MongoService(
                        tasks,
                        MongoConfig.withMounts(new Mount("*", "/")),
                        mongo.client(),
                        new SimpleMeterRegistry())) {
            var shapes =
                    service.descriptions().shapes(new Shapes.Settings(10, Duration.ofMinutes(1), 1, false), _ -> {});

            assertThat(names(shapes, namespace, "{a: {x: 1, y: 2}}"))
                    .contains("first")
                    .doesNotContain("second");
            assertThat(names(shapes, namespace, "{a: {y: 2, x: 1}}"))
                    .contains("second")
                    .doesNotContain("first");
        }
    }

    private static Set<String> names(Shapes shapes, MongoNamespace namespace, String filter) {
        var rights = new ReadRights(Optional.of(BsonDocument.parse(filter)), Optional.empty());
        return shapes.of(namespace, rights, false).join().root().byName().keySet();
    }
}
