package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;

/// Files of directories, served to anybody.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StaticResourcesTest {
    private static final byte[] LARGE = new byte[300_000];

    @AutoClose
    private Gateway gateway = Gateway.start(config("."));

    @BeforeAll
    void serve(@TempDir Path folder) throws IOException {
        gateway.close();
        var site = Files.createDirectories(folder.resolve("site/sub")).getParent();
        Files.writeString(site.resolve("index.html"), "<p>home</p>");
        Files.writeString(site.resolve("app.js"), "let a = 1;");
        Files.writeString(site.resolve("sub/a b.txt"), "0123456789");
        Files.createDirectory(site.resolve("empty"));
        for (var hidden : List.of(".env", ".git/config", "sub/.htpasswd", "sub/...", ".well-known/.secret")) {
            Files.createDirectories(site.resolve(hidden).getParent());
            Files.writeString(site.resolve(hidden), "secret");
        }
        Files.writeString(site.resolve(".well-known/security.txt"), "Contact: us");
        new Random(1).nextBytes(LARGE);
        Files.write(site.resolve("large.bin"), LARGE);
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(site.resolve("out.txt"), folder.resolve("secret.txt"));
        Files.createSymbolicLink(site.resolve("up"), folder);
        gateway = Gateway.start(config(site.toString()));
    }

    private static GatewayConfig config(String directory) {
        return GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                requestsMetricsCollector: {enabled: true}
                fullAuthorizer: {enabled: true, authentication-required: false}
                static-resources:
                  - {what: '%s', where: /site, cache-control: max-age=60}
                  - {what: static/metrics, where: /metrics-ui, welcome-file: restheart-metrics.html, embedded: true}
                  - {what: /META-INF/resources/webjars/swagger-ui, where: /lib, embedded: true}
                """.formatted(directory));
    }

    private HttpResponse<String> send(String method, String path, String... headers) {
        return TestClient.of(gateway.address()).with(headers).send(method, path, "");
    }

    @Test
    void a_file_has_its_type_and_tag_and_no_headers_of_services() throws Exception {
        var answer = send("GET", "/site/app.js", "Accept-Encoding", "gzip", "Origin", "http://elsewhere");
        assertStatus(200, answer);
        assertThat(answer.body()).isEqualTo("let a = 1;");
        assertThat(answer.headers().map())
                .containsKeys("etag", "last-modified")
                .doesNotContainKeys("x-powered-by", "date", "content-encoding", "access-control-allow-origin");
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/javascript; charset=utf-8");
        assertThat(answer.headers().firstValue("Content-Length")).contains("10");
        assertThat(answer.headers().firstValue("Accept-Ranges")).contains("bytes");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("max-age=60");
        var head = send("HEAD", "/site/app.js");
        assertStatus(200, head);
        assertThat(head.headers().firstValue("Content-Length")).contains("10");
    }

    @Test
    void files_are_not_counted_with_the_requests_of_the_api() throws Exception {
        send("GET", "/site/app.js");
        send("DELETE", "/ping");
        var metrics = send("GET", "/metrics").body();
        assertThat(metrics)
                .contains("gateway_other_requests_seconds_count{kind=\"files\",method=\"GET\",status=\"200\"}")
                .contains("http_requests_count{request_method=\"DELETE\"")
                .doesNotContain("http_requests_count{request_method=\"GET\"");
    }

    @Test
    void what_the_client_has_is_not_sent_again() throws Exception {
        var first = send("GET", "/site/app.js").headers();
        var tag = first.firstValue("ETag").orElseThrow();
        assertStatus(304, send("GET", "/site/app.js", "If-None-Match", tag));
        assertStatus(200, send("GET", "/site/app.js", "If-None-Match", "\"x\""));
        var changed = first.firstValue("Last-Modified").orElseThrow();
        assertStatus(304, send("GET", "/site/app.js", "If-Modified-Since", changed));
    }

    @Test
    void ranges_are_sent() throws Exception {
        var part = send("GET", "/site/sub/a%20b.txt", "Range", "bytes=2-4");
        assertStatus(206, part);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 2-4/10");
        assertThat(send("GET", "/site/sub/a%20b.txt", "Range", "bytes=-3").body())
                .isEqualTo("789");
        assertStatus(416, send("GET", "/site/sub/a%20b.txt", "Range", "bytes=10-"));
        assertThat(send("GET", "/site/sub/a%20b.txt", "Range", "bytes=0-1", "If-Range", "\"x\"")
                        .body())
                .isEqualTo("0123456789");
    }

    @Test
    void large_files_arrive_whole() {
        assertThat(TestClient.of(gateway.address())
                        .sendBytes("GET", "/site/large.bin", new byte[0])
                        .body())
                .isEqualTo(LARGE);
    }

    @Test
    void a_directory_is_its_welcome_file_and_never_a_list() throws Exception {
        var slash = send("GET", "/site");
        assertStatus(302, slash);
        assertThat(slash.headers().firstValue("Location")).contains("/site/");
        assertThat(send("GET", "/site/").body()).isEqualTo("<p>home</p>");
        assertThat(send("POST", "/site/").body()).isEqualTo("<p>home</p>");
        assertStatus(404, send("GET", "/site/empty/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/site/nope.txt",
                "/site/%2e%2e/secret.txt",
                "/site/..%2fsecret.txt",
                "/site/sub/%2e%2e/%2e%2e/secret.txt",
                "/site/out.txt",
                "/site/up/secret.txt",
                "/site/app.js%00.html",
                "/site/.env",
                "/site/%2eenv",
                "/site/.git/config",
                "/site/sub/.htpasswd",
                "/site/sub/...",
                "/site/.well-known/.secret"
            })
    void nothing_outside_of_the_directory_and_nothing_hidden_is_served(String path) throws Exception {
        var answer = send("GET", path);
        assertThat(answer.statusCode()).isIn(400, 404);
        assertThat(answer.body()).doesNotContain("secret");
    }

    @Test
    void well_known_files_are_served() throws Exception {
        assertThat(send("GET", "/site/.well-known/security.txt").body()).isEqualTo("Contact: us");
    }

    @ParameterizedTest
    @CsvSource({"PUT, 405", "DELETE, 405", "OPTIONS, 405", "PATCH, 501"})
    void files_cannot_be_written(String method, int status) throws Exception {
        assertStatus(status, send(method, "/site/app.js"));
    }

    @Test
    void the_page_of_metrics_is_in_the_jar() throws Exception {
        var slash = send("GET", "/metrics-ui");
        assertStatus(302, slash);
        assertThat(slash.headers().firstValue("Location")).contains("/metrics-ui/");
        var page = send("GET", "/metrics-ui/");
        assertStatus(200, page);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.body()).contains("fetch('../metrics'").doesNotContain("https://");
        assertStatus(404, send("GET", "/metrics-ui/nope.js"));
        assertThat(send("GET", "/metrics-ui/../metrics-ui/%2e%2e/%2e%2e/META-INF/MANIFEST.MF")
                        .statusCode())
                .isIn(400, 404);
    }

    @Test
    void folders_of_libraries_in_the_jar_are_served_as_directories_are() throws Exception {
        var file = send("GET", "/lib/5.35.0/index.css");
        assertStatus(200, file);
        assertThat(file.body()).contains("html");
        var tag = file.headers().firstValue("ETag").orElseThrow();
        assertStatus(304, send("GET", "/lib/5.35.0/index.css", "If-None-Match", tag));
        var part = send("GET", "/lib/5.35.0/index.css", "Range", "bytes=5-9");
        assertStatus(206, part);
        assertThat(part.body()).isEqualTo(file.body().substring(5, 10));
        assertStatus(302, send("GET", "/lib/5.35.0"));
        assertStatus(404, send("GET", "/lib/"));
        assertThat(send("GET", "/lib/5.35.0/swagger-ui-bundle.js").body()).hasSizeGreaterThan(1_000_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"static/nope", "", "/", "../classes", "static/../static"})
    void a_folder_that_is_not_in_the_jar_is_refused_at_the_start(String folder) {
        assertThatThrownBy(() ->
                        GatewayConfig.parse("static-resources: [{what: '" + folder + "', where: /a, embedded: true}]"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/static-resources[1]/what");
    }

    @Test
    void a_directory_that_is_not_there_is_refused_at_the_start() {
        assertThatThrownBy(() -> config("/not/there"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("what names no directory: /not/there");
    }
}
