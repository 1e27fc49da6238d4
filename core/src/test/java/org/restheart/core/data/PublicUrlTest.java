package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The URL by which clients know a gateway behind a proxy, in everything that names it.
@WithMongo
class PublicUrlTest {
    private final TestMongo mongo;

    PublicUrlTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private Gateway gateway(String core) {
        mongo.database().getCollection("books").drop();
        mongo.database().createCollection("books");
        return Gateway.start(GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: '%s'}
                mongo: {mongo-mounts: [{what: '/%s', where: /}]}
                console: {enabled: false}
                graphql: {enabled: false}
                mongoRealmAuthenticator: {enabled: false}
                mongoAclAuthorizer: {enabled: false}
                basicAuthMechanism: {enabled: false}
                fullAuthorizer: {enabled: true, authentication-required: false}
                openApi: {public-document: true}
                core: {%s}
                """.formatted(mongo.connectionString(), mongo.database().getName(), core)));
    }

    private static TestClient client(Gateway gateway) {
        return TestClient.of(gateway.address());
    }

    private static String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElseThrow();
    }

    /// What names the server in its answers.
    private static void assertNamed(TestClient client, String base, String path) {
        var created = client.post("/books", "{\"_id\": \"x\"}");
        assertThat(header(created, "Location")).isEqualTo(base + "/books/x");
        var session = client.post("/_sessions", "{}");
        assertThat(header(session, "Location")).startsWith(base + "/_sessions/");
        var bulk = client.post("/books?wm=upsert", "[{\"_id\": \"x\"}, {}]");
        assertThat(bulk.body()).contains("\"" + path + "/books/");
        var hal = client.get("/books?rep=HAL&hal=f&pagesize=1");
        var hrefs = Pattern.compile("\"href\": \"([^\"]*)\"")
                .matcher(hal.body())
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(hrefs).hasSizeGreaterThan(8).allMatch(href -> href.startsWith(path + "/"));
        assertThat(client.get("/_openapi").body()).contains("\"url\":\"" + base + "\"");
        assertThat(client.with("Accept", "text/html").get("/").body()).contains(base + "/");
    }

    @ParameterizedTest
    @CsvSource({
        "https://api.example.org, ''",
        "https://api.example.org/, ''",
        "https://api.example.org/api, /api",
        "http://[2001:db8::1]:8443/a/b, /a/b",
    })
    void the_configured_url_is_in_every_answer(String url, String path) {
        try (var gateway = gateway("base-url: '" + url + "', trusted-proxies: [127.0.0.1]")) {
            var client = client(gateway)
                    .with("X-Forwarded-Proto", "https")
                    .with("X-Forwarded-Host", "other.example")
                    .with("X-Forwarded-Prefix", "/other");
            assertNamed(client, url.replaceFirst("/$", ""), path);
        }
    }

    @Test
    void what_a_trusted_proxy_says_is_in_every_answer() {
        try (var gateway = gateway("trusted-proxies: [10.0.0.0/8, 127.0.0.0/8]")) {
            var client = client(gateway)
                    .with("X-Forwarded-Proto", "http, https")
                    .with("X-Forwarded-Host", "claimed.example, api.example.org:8443")
                    .with("X-Forwarded-Prefix", "/v1/db/");
            assertNamed(client, "https://api.example.org:8443/v1/db", "/v1/db");
        }
    }

    /// Without a list anybody says it of these, as clients of the existing product know it; they are not stored.
    @Test
    void a_list_of_proxies_holds_for_the_metadata_of_tokens() {
        for (boolean trusted : List.of(true, false)) {
            try (var gateway = gateway("trusted-proxies: ['" + (trusted ? "127.0.0.1" : "10.0.0.0/8") + "']")) {
                var metadata = client(gateway)
                        .with("X-Forwarded-Proto", "https")
                        .with("X-Forwarded-Host", "claimed.example, api.example.org")
                        .get("/.well-known/oauth-protected-resource");
                var own = trusted
                        ? "https://api.example.org"
                        : "http://127.0.0.1:" + gateway.address().getPort();
                assertThat(metadata.body()).contains("\"" + own + "\"").doesNotContain("claimed");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "trusted-proxies: [10.0.0.0/8, '::1']"})
    void what_others_say_is_not(String core) {
        try (var gateway = gateway(core)) {
            var client = client(gateway)
                    .with("X-Forwarded-Proto", "https")
                    .with("X-Forwarded-Host", "evil.example")
                    .with("X-Forwarded-Prefix", "/evil");
            assertNamed(client, "http://127.0.0.1:" + gateway.address().getPort(), "");
        }
    }

    @Test
    void what_is_no_scheme_host_or_path_is_ignored() {
        try (var gateway = gateway("trusted-proxies: [127.0.0.1]")) {
            var own = "http://127.0.0.1:" + gateway.address().getPort();
            for (var odd : List.of(
                    List.of("X-Forwarded-Proto", "javascript"),
                    List.of("X-Forwarded-Host", "a/b"),
                    List.of("X-Forwarded-Host", "a@b"),
                    List.of("X-Forwarded-Host", "a?b"),
                    List.of("X-Forwarded-Host", "a:b"),
                    List.of("X-Forwarded-Prefix", "//evil.example"),
                    List.of("X-Forwarded-Prefix", "evil"),
                    List.of("X-Forwarded-Prefix", "/a/../b"),
                    List.of("X-Forwarded-Prefix", "/a?b"),
                    List.of("X-Forwarded-Prefix", "/\\evil.example"),
                    List.of("X-Forwarded-Prefix", "/"))) {
                var session =
                        client(gateway).with(odd.getFirst(), odd.getLast()).post("/_sessions", "{}");
                assertStatus(201, session);
                assertThat(header(session, "Location")).as(odd.toString()).startsWith(own + "/_sessions/");
            }
        }
    }
}
