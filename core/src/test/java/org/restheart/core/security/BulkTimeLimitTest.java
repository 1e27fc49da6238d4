package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import java.time.Duration;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Changes of many documents end with the time limit of queries.
@WithMongo
class BulkTimeLimitTest {
    /// Takes some 10 ms a document.
    private static final String SLOW =
            "{\"$expr\": {\"$gt\": [{\"$reduce\": {\"input\": {\"$range\": [0, 30000]}, \"initialValue\": 0,"
                    + " \"in\": {\"$add\": [\"$$value\", {\"$size\": {\"$range\": [0, 2]}}]}}}, -1]}}";

    @ParameterizedTest
    @ValueSource(strings = {"PATCH", "DELETE"})
    void a_slow_change_of_many_documents_ends_in_time(String method, TestMongo mongo) {
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        var slow = database.getCollection("slow");
        slow.insertMany(
                IntStream.range(0, 2_000).mapToObj(i -> new Document("_id", i)).toList());
        var config = """
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: "%s"}
            mongo: {bulk-time-limit: 500, mongo-mounts: [{what: /%s, where: /}]}
            fullAuthorizer: {enabled: true, authentication-required: false}
            basicAuthMechanism: {enabled: false}
            """.formatted(mongo.connectionString(), database.getName());
        try (var gateway = Gateway.start(GatewayConfig.parse(config))) {
            long began = System.nanoTime();
            var answer = TestClient.of(gateway.address())
                    .with("Content-Type", "application/json")
                    .send(
                            method,
                            "/slow/*?filter=" + TestGateway.encode(SLOW),
                            method.equals("PATCH") ? "{\"n\": 1}" : "");
            assertStatus(408, answer);
            assertThat(answer.body()).contains("some of the documents may have been changed");
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Patience.relative(Duration.ofSeconds(8)));
            assertThat(slow.countDocuments(Filters.exists("n", false))).isPositive();
        }
    }
}
