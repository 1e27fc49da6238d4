package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A read preference that no member satisfies: of a replica set of one member, that of secondaries.
@WithMongo
class ReadPreferenceTest {
    /// What a request takes that waits for a secondary.
    private static final Duration SELECTION = Duration.ofMinutes(1);

    private static final String REFUSAL =
            "no member of the replica set satisfies the read preference secondary at the moment";

    private final TestMongo mongo;

    ReadPreferenceTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeEach
    void fill() {
        mongo.database().getCollection("c").drop();
        mongo.database().getCollection("c").insertOne(new Document("_id", "a"));
    }

    private ConformanceGateway gateway(String options) {
        return ConformanceGateway.of(
                ConformanceGateway.GUARDS + """
                    core: {error-bodies: MINIMAL}
                    mclient: {connection-string: '%s'}
                    mongo: {mongo-mounts: [{what: %s, where: /}]}
                    """.formatted(mongo.connectionString(options), mongo.databaseName())
                        + ConformanceGateway.ACCOUNTS + """
                        fileAclAuthorizer:
                          enabled: true
                          permissions:
                            - {role: admin, predicate: path-prefix('/'), mongo: {allowManagementRequests: true, allowAdHocAggregations: true}}
                        """);
    }

    private static void refuses(TestClient client, String method, String target, String content) {
        var answer = client.json(method, target, content);
        assertStatus(503, answer);
        assertThat(answer.body()).contains(REFUSAL);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void one_of_a_request_is_refused_at_once_whatever_reads() {
        try (var gateway = gateway("serverSelectionTimeoutMS=" + SELECTION.toMillis())) {
            var client = gateway.as("admin");
            long begin = System.nanoTime();
            for (var target : new String[] {"/c", "/c/a", "/c/_size", "/c?count"}) {
                refuses(client, "GET", target + (target.contains("?") ? "&" : "?") + "readPreference=secondary", "");
            }
            refuses(client, "POST", "/c/_aggrs?readPreference=secondary", "{\"stages\": []}");
            assertStatus(200, client.get("/c/a?readPreference=secondaryPreferred"));
            assertStatus(200, client.put("/c/a?readPreference=secondary", "{\"n\": 1}"));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SELECTION);
        }
    }

    @Test
    void one_of_the_connection_string_is_refused_and_named_at_once() {
        try (var log = new LogLines();
                var gateway =
                        gateway("serverSelectionTimeoutMS=" + SELECTION.toMillis() + "&readPreference=secondary")) {
            var client = gateway.as("admin");
            long begin = System.nanoTime();
            refuses(client, "GET", "/c", "");
            refuses(client, "GET", "/c/a", "");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SELECTION);
            assertThat(log.all()).noneMatch(line -> line.contains("does not answer"));
        }
    }
}
