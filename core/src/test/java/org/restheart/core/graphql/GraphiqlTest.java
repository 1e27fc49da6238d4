package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The page for trying apps.
@WithMongo
class GraphiqlTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static HttpResponse<String> get(ConformanceGateway gateway, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void it_is_there_only_if_it_is_switched_on(TestMongo mongo) throws Exception {
        try (var gateway = GraphqlGateway.start(mongo, "verbose: false")) {
            assertThat(get(gateway, "/_graphiql/").statusCode()).isNotEqualTo(200);
        }
    }

    @Test
    void its_files_come_from_the_gateway_under_a_strict_policy(TestMongo mongo) throws Exception {
        try (var gateway = GraphqlGateway.start(
                mongo, "verbose: false", config -> config + "\ngraphiql: {enabled: true, uri: /try}\n")) {
            var page = get(gateway, "/try/?app=shop");
            assertStatus(200, page);
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(page.headers().allValues("Vary")).hasSize(1);
            assertThat(page.body())
                    .contains("data-own=\"/try\"", "data-graphql=\"/graphql\"")
                    .doesNotContain("http");
            var names = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(page.body());
            int files = 0;
            while (names.find()) {
                files++;
                assertThat(get(gateway, "/try/" + names.group(1)).statusCode())
                        .as(names.group(1))
                        .isEqualTo(200);
            }
            assertThat(files).isEqualTo(6);
            assertThat(get(gateway, "/try?app=shop").headers().firstValue("Location"))
                    .contains("try/?app=shop");
            assertStatus(404, get(gateway, "/try/nothing.js"));
        }
    }
}
