package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The account with which Prometheus scrapes in `docker-compose.yml` and the example beside it.
@WithMongo
class ScrapingAccountTest {
    private static final Path MONITORING = Path.of("..", "etc", "monitoring");

    private static BsonDocument constant(String name) throws IOException {
        var script = Files.readString(MONITORING.resolve("account.js"));
        var found = Pattern.compile("const " + name + " = (\\{.*?\n});", Pattern.DOTALL)
                .matcher(script);
        assertThat(found.find()).isTrue();
        return BsonDocument.parse(found.group(1));
    }

    @Test
    void it_reads_the_metrics_and_nothing_else(TestMongo mongo) throws Exception {
        assertThat(Files.readString(MONITORING.resolve("prometheus.yml")))
                .contains("basic_auth: {username: prometheus, password: metrics}");
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.collection("users").insertOne(constant("account"));
            gateway.collection("acl").insertOne(constant("permission"));
            var prometheus = gateway.anonymous().as("prometheus", "metrics");
            assertStatus(200, prometheus.get("/metrics"));
            assertThat(prometheus.get("/metrics").body()).contains("restheart_build_info");
            for (var path : new String[] {"/", "/users", "/acl", "/t", "/metrics/gateway", "/_size"}) {
                assertThat(prometheus.get(path).statusCode()).as(path).isEqualTo(403);
            }
            assertStatus(403, prometheus.send("POST", "/metrics", ""));
            assertStatus(403, prometheus.patch("/users/prometheus", "{\"roles\": [\"editor\"]}"));
        }
    }
}
