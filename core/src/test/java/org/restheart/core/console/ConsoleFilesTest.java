package org.restheart.core.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;

/// How the console is served. Nothing of it needs MongoDB.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleFilesTest {
    private static final String WITHOUT_MONGO = """
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {enabled: false}
            mongo: {enabled: false}
            graphql: {enabled: false}
            core: {name: shop}
            """;

    private static final Pattern SCRIPT = Pattern.compile("src=\"([0-9a-f]{32}/app/main\\.js)\"");

    @AutoClose
    private final Gateway gateway = Gateway.start(GatewayConfig.parse(WITHOUT_MONGO));

    private HttpResponse<byte[]> get(String path, String... headers) {
        return TestClient.of(gateway.address()).with(headers).sendBytes("GET", path, new byte[0]);
    }

    private String script() throws Exception {
        var page = new String(get("/_console/").body(), StandardCharsets.UTF_8);
        var found = SCRIPT.matcher(page);
        assertThat(found.find()).as(page).isTrue();
        return "/_console/" + found.group(1);
    }

    @Test
    void the_address_without_a_slash_leads_to_the_one_with() throws Exception {
        var answer = get("/_console");
        assertStatus(308, answer);
        assertThat(URI.create("/_console")
                        .resolve(answer.headers().firstValue("Location").orElseThrow()))
                .isEqualTo(URI.create("/_console/"));
    }

    @Test
    void the_page_is_asked_for_anew_and_its_files_are_kept_for_ever() throws Exception {
        var page = get("/_console/");
        assertStatus(200, page);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Cache-Control")).contains("no-cache");
        var script = get(script());
        assertStatus(200, script);
        assertThat(script.headers().firstValue("Content-Type")).contains("text/javascript; charset=utf-8");
        assertThat(script.headers().firstValue("Cache-Control")).contains("public, max-age=31536000, immutable");
    }

    @Test
    void every_file_has_a_strong_tag_for_each_of_its_codings() throws Exception {
        var plain = get(script());
        var coded = get(script(), "Accept-Encoding", "gzip, br");
        assertThat(coded.headers().firstValue("Content-Encoding")).contains("gzip");
        try (var in = new GZIPInputStream(new ByteArrayInputStream(coded.body()))) {
            assertThat(in.readAllBytes()).isEqualTo(plain.body());
        }
        var tag = plain.headers().firstValue("ETag").orElseThrow();
        var codedTag = coded.headers().firstValue("ETag").orElseThrow();
        assertThat(tag).startsWith("\"").isNotEqualTo(codedTag);
        assertStatus(304, get(script(), "If-None-Match", "\"other\", " + tag));
        assertStatus(200, get(script(), "If-None-Match", codedTag));
        assertStatus(304, get(script(), "If-None-Match", codedTag, "Accept-Encoding", "gzip"));
        assertThat(plain.headers().allValues("Vary")).containsExactly("Accept-Encoding");
    }

    @Test
    void every_file_carries_the_policy() throws Exception {
        for (var path : new String[] {"/_console/", "/_console/config.json", script()}) {
            var headers = get(path).headers();
            assertThat(headers.firstValue("Content-Security-Policy").orElse(""))
                    .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                    .contains("connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'")
                    .contains("frame-ancestors 'none'")
                    .endsWith("require-trusted-types-for 'script'; trusted-types 'none'");
            assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
            assertThat(headers.firstValue("Cross-Origin-Opener-Policy")).contains("same-origin");
            assertThat(headers.firstValue("Permissions-Policy")).contains("camera=(), microphone=(), geolocation=()");
        }
    }

    @Test
    void the_configuration_tells_where_services_are_and_nothing_of_the_data() throws Exception {
        var answer = get("/_console/config.json");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-cache");
        var config = BsonDocument.parse(new String(answer.body(), StandardCharsets.UTF_8));
        assertThat(config)
                .containsEntry("uri", new BsonString("/_console"))
                .containsEntry("title", new BsonString("shop"))
                .containsEntry("api", BsonNull.VALUE)
                .containsEntry("metrics", new BsonString("/metrics"))
                .containsEntry("readOnly", BsonBoolean.FALSE)
                .containsEntry("cookie", new BsonDocument("usable", BsonBoolean.FALSE))
                .containsKeys("version", "token", "openapi", "access", "mcp", "dataApi", "pages");
    }

    @Test
    void what_is_no_file_is_not_found_and_nothing_is_changed() throws Exception {
        assertStatus(404, get("/_console/none.js"));
        assertStatus(404, get("/_console/index.html/x"));
        assertStatus(404, get("/_console/..%2f..%2fetc%2fpasswd"));
        assertStatus(405, TestClient.of(gateway.address()).send("POST", "/_console/", ""));
    }

    @Test
    void it_is_off_when_other_machines_can_reach_the_gateway_unless_asked_for() {
        var open = WITHOUT_MONGO.replace("127.0.0.1", "0.0.0.0");
        assertThat(GatewayConfig.parse(WITHOUT_MONGO).uri("console")).isPresent();
        assertThat(GatewayConfig.parse(open).uri("console")).isEmpty();
        assertThat(GatewayConfig.parse(open + "console: {enabled: true}").uri("console"))
                .isPresent();
        assertThat(GatewayConfig.parse(WITHOUT_MONGO + "console: {enabled: false}")
                        .uri("console"))
                .isEmpty();
    }

    @Test
    void wrong_values_are_refused_by_name() {
        assertThatThrownBy(() -> GatewayConfig.parse(
                        WITHOUT_MONGO + "console: {pages: [documents, games], banner: X, banner-color: pink}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/console/pages")
                .hasMessageContaining("/console/banner-color");
    }
}
