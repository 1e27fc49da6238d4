package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;

/// Requests that are handed on to real HTTP servers.
class ProxyTest {

    @AutoClose
    private final Backend one = new Backend("one");

    @AutoClose
    private final Backend two = new Backend("two");

    /// Answers with its name, and method, path, headers and content of the request; `/well` with its health.
    private static final class Backend implements AutoCloseable {
        private final String name;
        private final HttpServer server;
        private final AtomicBoolean well = new AtomicBoolean(true);

        Backend(String name) {
            this.name = name;
            try {
                server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", this::answer);
            server.start();
        }

        private void answer(HttpExchange exchange) throws IOException {
            var content = exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestURI().getPath().endsWith("/well")) {
                exchange.sendResponseHeaders(well.get() ? 200 : 500, -1);
                exchange.close();
                return;
            }
            var text = new StringBuilder(name + "\n" + exchange.getRequestMethod() + " "
                    + exchange.getRequestURI().toASCIIString() + "\n");
            var headers = new TreeMap<String, Object>();
            exchange.getRequestHeaders().forEach((key, values) -> headers.put(key.toLowerCase(Locale.ROOT), values));
            headers.forEach(
                    (key, value) -> text.append(key).append('=').append(value).append('\n'));
            text.append("content=").append(new String(content, StandardCharsets.UTF_8));
            exchange.getResponseHeaders().add("X-Backend", name);
            exchange.getResponseHeaders().add("Keep-Alive", "timeout=99");
            int status = exchange.getRequestURI().getPath().endsWith("/teapot") ? 418 : 200;
            var bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(status, head ? -1 : status == 200 ? 0 : bytes.length);
            if (!head) {
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static Gateway start(String proxy) {
        return start(proxy, "HELPFUL");
    }

    private static Gateway start(String proxy, String errorBodies) {
        return Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                requestsMetricsCollector: {enabled: true}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [a, b]},
                  {userid: bob, password: pw, roles: [c]}]}
                fileAclAuthorizer: {enabled: true, permissions: [
                  {role: a, predicate: "path-prefix('/back/ok') or path-prefix('/metrics') or path('/back')"},
                  {role: $unauthenticated, predicate: "path-prefix('/back/open')"}]}
                apiKeyAuthMechanism: {enabled: false}
                core: {max-streamed-content: 3000000, error-bodies: %s}
                proxies: [{location: /back, %s}]
                """.formatted(errorBodies, proxy)));
    }

    private Gateway toOne() {
        return start("proxy-pass: '" + one.url() + "/base/'");
    }

    private Gateway toBoth(String more) {
        return start("proxy-pass: ['" + one.url() + "', '" + two.url() + "']" + more);
    }

    private static String ada() {
        return TestClient.basic("ada", "pw");
    }

    private static HttpResponse<String> send(
            Gateway gateway, String method, String path, String content, String... headers) {
        return TestClient.of(gateway.address()).with(headers).send(method, path, content);
    }

    private HttpResponse<String> get(Gateway gateway, String path, String... headers) throws Exception {
        return send(gateway, "GET", path, "", headers);
    }

    @Test
    void a_permitted_request_is_handed_on_with_its_content_and_answered_as_the_target_does() throws Exception {
        try (var gateway = toOne()) {
            var answer = send(gateway, "POST", "/back/ok/a%20b/?x=1&y=%2F", "hello", "Authorization", ada());
            assertStatus(200, answer);
            assertThat(answer.body())
                    .startsWith("one\nPOST /base/ok/a%20b/?x=1&y=%2F\n")
                    .endsWith("content=hello");
            assertThat(answer.headers().firstValue("X-Backend")).contains("one");
            assertThat(answer.headers().firstValue("Keep-Alive")).isEmpty();
            assertStatus(418, get(gateway, "/back/ok/teapot", "Authorization", ada()));
            var head = send(gateway, "HEAD", "/back/ok/x", "", "Authorization", ada());
            assertThat(head.headers().firstValue("X-Backend")).contains("one");
            assertThat(get(gateway, "/back", "Authorization", ada()).body()).startsWith("one\nGET /base\n");
            assertThat(get(gateway, "/back/", "Authorization", ada()).body()).startsWith("one\nGET /base/\n");
        }
    }

    @Test
    void what_rules_refuse_is_not_handed_on() throws Exception {
        try (var gateway = toOne()) {
            assertStatus(401, get(gateway, "/back/ok"));
            assertStatus(401, send(gateway, "POST", "/back/ok", "x".repeat(100_000)));
            assertStatus(403, get(gateway, "/back/no", "Authorization", ada()));
            assertStatus(403, get(gateway, "/back/ok", "Authorization", "Basic Ym9iOnB3"));
            assertThat(get(gateway, "/back/open").body()).startsWith("one\nGET /base/open\n");
            assertThat(send(gateway, "OPTIONS", "/back/no", "").body()).startsWith("one\nOPTIONS /base/no\n");
            assertStatus(400, send(gateway, "OPTIONS", "/back/no", "x"));
        }
    }

    @Test
    void the_target_gets_neither_credentials_nor_claims_of_the_client() throws Exception {
        try (var gateway = toOne()) {
            var answer = get(
                    gateway,
                    "/back/ok",
                    "Authorization",
                    ada(),
                    "Cookie",
                    "a=1; rh_auth=secret; b=2",
                    "X-Forwarded-Account-Id",
                    "root",
                    "X_Forwarded_Account_Roles",
                    "root",
                    "X-Forwarded-Account-Jwt-Payload",
                    "root",
                    "X-Forwarded-For",
                    "6.6.6.6",
                    "Forwarded",
                    "for=6.6.6.6",
                    "TE",
                    "trailers",
                    "Keep-Alive",
                    "1",
                    "Accept-Language",
                    "kept",
                    "X-Custom",
                    "root");
            int port = gateway.address().getPort();
            assertThat(answer.body())
                    .contains("x-forwarded-account-id=[ada]", "accept-language=[kept]", "cookie=[a=1; b=2]")
                    .containsPattern("x-forwarded-account-roles=\\[(a, b|b, a)\\]")
                    .contains("x-forwarded-for=[127.0.0.1]", "x-forwarded-proto=[http]")
                    .contains(
                            "x-forwarded-host=[127.0.0.1:" + port + "]",
                            "host=[" + one.url().substring(7) + "]")
                    .doesNotContain("authorization", "secret", "root", "6.6.6.6", "trailers", "keep-alive=[1]");
            var anonymous = get(gateway, "/back/open", "X-Forwarded-Account-Id", "root");
            assertThat(anonymous.body()).doesNotContain("account-id");
        }
        try (var gateway =
                start("proxy-pass: '" + one.url() + "', forward-credentials: true, rewrite-host-header: false")) {
            assertThat(get(gateway, "/back/ok", "Authorization", ada(), "Cookie", "rh_auth=x")
                            .body())
                    .contains("authorization=[" + ada() + "]", "cookie=[rh_auth=x]")
                    .contains("host=[127.0.0.1:" + gateway.address().getPort() + "]");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/back/ok/%2e%2e/no",
                "/back/ok/%2E/no",
                "/back/ok//no",
                "/back/ok/..%2Fno",
                "/back/ok/a%5Cb",
                "/back/ok/a%00b",
            })
    void paths_that_a_target_may_read_otherwise_are_refused(String path) throws Exception {
        try (var gateway = toOne()) {
            assertStatus(400, get(gateway, path, "Authorization", ada()));
        }
    }

    @Test
    void parameters_of_paths_are_not_handed_on_and_spellings_are_one() throws Exception {
        try (var gateway = toOne()) {
            assertThat(get(gateway, "/%62ack/o%6b/a;x=1/b", "Authorization", ada())
                            .body())
                    .startsWith("one\nGET /base/ok/a/b\n");
        }
    }

    @Test
    void large_contents_pass_both_ways_and_larger_ones_than_configured_do_not() throws Exception {
        try (var gateway = toOne()) {
            var content = "0123456789".repeat(200_000);
            var answer = send(gateway, "PUT", "/back/ok", content, "Authorization", ada());
            assertThat(answer.body()).endsWith("content=" + content);
            assertStatus(413, send(gateway, "PUT", "/back/ok", content + content, "Authorization", ada()));
            assertThat(send(gateway, "PUT", "/back/ok", content + content, "Authorization", ada())
                            .body())
                    .contains("core.max-streamed-content");
        }
    }

    @Test
    void chunked_content_that_is_larger_than_configured_is_refused_as_such() throws Exception {
        int most = 3_000_000;
        try (var gateway = toOne();
                var client = new RawClient(gateway.address())) {
            client.request("PUT /back/ok", "Authorization: " + ada(), "Transfer-Encoding: chunked")
                    .send(Integer.toHexString(most + 1) + "\r\n" + "x".repeat(most + 1) + "\r\n");
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).contains("core.max-streamed-content");
        }
    }

    @Test
    void targets_take_turns_and_one_that_is_gone_is_left_out() throws Exception {
        try (var gateway = toBoth(", problem-server-retry: 1")) {
            var names = new TreeMap<String, Integer>();
            for (int i = 0; i < 10; i++) {
                names.merge(
                        get(gateway, "/back/ok", "Authorization", ada()).body().substring(0, 3), 1, Integer::sum);
            }
            assertThat(names).containsEntry("one", 5).containsEntry("two", 5);
            one.close();
            for (int i = 0; i < 6; i++) {
                assertThat(get(gateway, "/back/ok", "Authorization", ada()).body())
                        .startsWith("two");
            }
            two.close();
            await().untilAsserted(() -> {
                var answer = get(gateway, "/back/ok", "Authorization", ada());
                assertStatus(503, answer);
                assertThat(answer.headers().firstValue("Retry-After")).contains("1");
                assertThat(answer.headers().firstValue("Content-Type")).contains("application/json; charset=UTF-8");
                assertThat(answer.body())
                        .isEqualTo("{\"msg\": \"no server behind this proxy can be reached at the moment\"}");
            });
            var put = send(gateway, "PUT", "/back/ok", "0123456789".repeat(100_000), "Authorization", ada());
            assertStatus(503, put);
            assertThat(put.body()).contains("can be reached");
        }
    }

    @Test
    void minimal_error_bodies_leave_an_unreachable_target_s_answer_empty() throws Exception {
        one.close();
        try (var gateway = start("proxy-pass: '" + one.url() + "', problem-server-retry: 7", "MINIMAL")) {
            var answer = get(gateway, "/back/ok", "Authorization", ada());
            assertStatus(503, answer);
            assertThat(answer.headers().firstValue("Retry-After")).contains("7");
            assertThat(answer.body()).isEmpty();
        }
    }

    @Test
    void a_target_that_fails_its_health_check_is_left_out_until_it_is_well() throws Exception {
        one.well.set(false);
        try (var gateway = toBoth(", health-check-path: /well, health-check-interval: 1")) {
            await().untilAsserted(() -> {
                for (int i = 0; i < 4; i++) {
                    assertThat(get(gateway, "/back/ok", "Authorization", ada()).body())
                            .startsWith("two");
                }
            });
            one.well.set(true);
            await().untilAsserted(() -> assertThat(
                            get(gateway, "/back/ok", "Authorization", ada()).body())
                    .startsWith("one"));
            one.well.set(false);
            two.well.set(false);
            await().untilAsserted(() -> assertThat(
                            get(gateway, "/back/ok", "Authorization", ada()).statusCode())
                    .isEqualTo(503));
        }
    }

    @Test
    void requests_are_measured_apart() throws Exception {
        try (var gateway = toOne()) {
            get(gateway, "/back/ok/teapot", "Authorization", ada());
            await().untilAsserted(() -> assertThat(
                            get(gateway, "/metrics", "Authorization", ada()).body())
                    .contains("gateway_other_requests_seconds_count{kind=\"proxy\",method=\"GET\",status=\"418\"}"));
        }
    }

    @ParameterizedTest
    @CsvSource({"ftp://host", "/path", "http://u:p@host", "http://host?x=1", "http://"})
    void urls_that_cannot_be_used_are_named_at_the_start(String url) {
        assertThatThrownBy(() -> GatewayConfig.parse("proxies: [{location: /a, proxy-pass: '" + url + "'}]"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/proxies[1]/proxy-pass");
    }
}
