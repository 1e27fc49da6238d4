package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The page for trying apps.
@WithMongo
class GraphiqlTest {
    @Test
    void it_is_there_only_if_it_is_switched_on(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(mongo, "verbose: false")) {
            assertStatus(404, gateway.as("admin").get("/_graphiql/"));
        }
    }

    @Test
    void its_files_come_from_the_gateway_under_a_strict_policy(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(
                mongo, "verbose: false", config -> config + "\ngraphiql: {enabled: true, uri: /try}\n")) {
            var files = TestClient.of(gateway.port());
            var page = files.get("/try/?app=shop");
            assertStatus(200, page);
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(page.headers().allValues("Vary")).hasSize(1);
            assertThat(page.body())
                    .contains("data-own=\"/try\"", "data-graphql=\"/graphql\"")
                    .doesNotContain("http");
            var names = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(page.body());
            int found = 0;
            while (names.find()) {
                found++;
                assertThat(files.get("/try/" + names.group(1)).statusCode())
                        .as(names.group(1))
                        .isEqualTo(200);
            }
            assertThat(found).isEqualTo(6);
            assertThat(files.get("/try?app=shop").headers().firstValue("Location"))
                    .contains("try/?app=shop");
            assertStatus(404, files.get("/try/nothing.js"));
        }
    }
}
