package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.core.service.ProxyService;
import org.restheart.testkit.Opened;

/// What clients try at targets by way of the gateway.
class ProxyAttacksTest {
    @AutoClose
    private final RawTarget target = new RawTarget();

    @Test
    void uploads_that_trickle_leave_connections_of_a_target_to_others() throws Exception {
        try (var gateway = target.gateway(", connections-per-thread: 8");
                var uploads = new Opened<RawClient>()) {
            for (int i = 0; i < 20; i++) {
                uploads.add(new RawClient(gateway.address()))
                        .request("POST /back/x", RawTarget.basic("ada"), "Content-Length: 100000")
                        .send("x".repeat(1_000));
            }
            await().until(() -> target.connections() >= 4);
            for (int i = 0; i < 5; i++) {
                try (var bob = new RawClient(gateway.address())) {
                    assertThat(bob.request("GET /back/x", RawTarget.basic("bob"))
                                    .answer()
                                    .status())
                            .isEqualTo(200);
                }
            }
            // four for uploads; and for bob not always one, since Jetty's pool may not know yet that it is free
            assertThat(target.connections()).isLessThan(8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 100000", "Transfer-Encoding: chunked"})
    void content_that_does_not_come_ends_the_request_and_frees_the_connection(String framing) throws Exception {
        try (var server = proxyAlone();
                var client = server.connect()) {
            client.request("POST /back/x", framing).send("10\r\n0123456789abcdef\r\n");
            await().until(() -> target.connections() == 1);
            assertThat(client.answer().status()).isEqualTo(408);
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> target.connections() == 0);
        }
    }

    @Test
    void what_has_come_buys_no_trickle() throws Exception {
        try (var server = proxyAlone();
                var client = server.connect()) {
            client.request("POST /back/x", "Content-Length: 1000005").send(new byte[1_000_000]);
            await().until(() -> target.connections() == 1);
            client.trickle();
            assertThat(client.answer().status()).isEqualTo(408);
            await().until(() -> target.connections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3\r\nabcX\r\n", "3;a=\"\r\n\"\r\nabc\r\n0\r\n\r\n", "x\r\n"})
    void malformed_chunks_end_the_request_and_free_the_connection(String chunks) throws Exception {
        try (var server = proxyAlone(Duration.ofSeconds(30))) { // longer than the client
            for (int i = 0; i < 3; i++) {
                try (var client = server.connect()) {
                    client.request("POST /back/x", "Transfer-Encoding: chunked").send(chunks);
                    assertThat(client.answer().status()).isEqualTo(400);
                    assertThat(client.isClosedByServer()).isTrue();
                }
                await().until(() -> target.connections() == 0);
            }
        }
    }

    @Test
    void a_client_that_goes_frees_the_connection_after_malformed_chunks() throws Exception {
        try (var server = proxyAlone()) {
            for (int i = 0; i < 30; i++) {
                try (var client = server.connect()) {
                    client.request("POST /back/x", "Transfer-Encoding: chunked").send("3\r\nabcX\r\n");
                }
            }
            await().untilAsserted(
                            () -> { // the last ones may not have been received yet
                                assertThat(target.connections()).isZero();
                                try (var client = server.connect()) {
                                    assertThat(client.request("GET /back/x")
                                                    .answer()
                                                    .status())
                                            .isEqualTo(200);
                                }
                            });
        }
    }

    @Test
    void content_that_comes_late_but_fast_enough_is_handed_on() throws Exception {
        try (var server = proxyAlone();
                var client = server.connect()) {
            client.request("POST /back/x", "Content-Length: 4000");
            for (int i = 0; i < 8; i++) {
                client.pause(Duration.ofMillis(300)).send("x".repeat(500));
            }
            assertThat(client.answer().status()).isEqualTo(200);
        }
    }

    /// Waits a second for content.
    private TestServer proxyAlone() {
        return proxyAlone(Duration.ofSeconds(1));
    }

    private TestServer proxyAlone(Duration patience) {
        var proxies = "proxies: [{location: /back, proxy-pass: '" + target.url() + "'}]";
        var config = GatewayConfig.parse(proxies);
        var service = new ProxyService(
                config.proxies().getFirst(),
                config.core(),
                new ProxyService.Credentials(Set.of(), Set.of()),
                _ -> false);
        return TestServer.with(
                proxies, 1_000, patience, Duration.ofSeconds(8), Binding.prefix(service, "/back", false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-Account-Id: root",
                "x_forwarded_account_roles: root",
                "X-Forwarded-User: root",
                "X-Forwarded-Email: root",
                "X-Forwarded-Uri: /root",
                "X-Forwarded-Prefix: /root",
                "X-Original-URL: /root",
                "X_Original_URL: /root",
                "X-Rewrite-URL: /root",
                "X-Real-IP: root",
                "X-HTTP-Method-Override: root",
                "X-Remote-User: root",
                "Remote-User: root",
                "SSL-CLIENT-CERT: root",
                "SSL_CLIENT_CERT: root",
                "X-Client-IP: root",
                "True-Client-IP: root",
                "Forwarded: for=root",
                "X.Forwarded_Account.Id: root",
                "x!forwarded!account!roles: root",
                "Remote.User: root",
                "TE: root",
                "Upgrade: root",
                "Trailer: root",
                "Connection: X-Custom\r\nX-Custom: root",
                "Connection: X_Custom\r\nX-Custom: root",
                "Connection: close, x-forwarded-account-id\r\nX-Custom: kept",
            })
    void claims_and_fields_of_the_connection_are_not_handed_on(String fields) throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            assertThat(client.request("GET /back/x", RawTarget.basic("ada"), fields)
                            .answer()
                            .status())
                    .isEqualTo(200);
            var request = target.next().toLowerCase(Locale.ROOT);
            assertThat(request)
                    .contains("x-forwarded-account-id: ada\r\n", "x-forwarded-account-roles: a\r\n")
                    .doesNotContain("root");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"api_key", "API-KEY", "api.key"})
    void keys_are_not_handed_on_however_their_header_is_spelt(String name) throws Exception {
        var proxies = "proxies: [{location: /back, proxy-pass: '" + target.url() + "'}]";
        var config = GatewayConfig.parse(proxies);
        var service = new ProxyService(
                config.proxies().getFirst(),
                config.core(),
                new ProxyService.Credentials(Set.of("api_key"), Set.of()),
                _ -> false);
        try (var server = TestServer.with(proxies, Binding.prefix(service, "/back", false));
                var client = server.connect()) {
            assertThat(client.request("GET /back/x", name + ": secret").answer().status())
                    .isEqualTo(200);
            assertThat(target.next()).doesNotContain("secret");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada ", "ada\r\n", "ada\u3000", "comma", "blank", "tab"})
    void an_account_is_not_handed_on_as_another_one(String name) throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            assertThat(client.request("GET /back/x", RawTarget.basic(name))
                            .answer()
                            .status())
                    .isEqualTo(403);
            assertThat(target.hasRequests()).isFalse();
        }
    }

    @Test
    void trailers_are_not_handed_on() throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            client.request("POST /back/x", RawTarget.basic("ada"), "Transfer-Encoding: chunked")
                    .send("5\r\nhello\r\n0\r\nX-Forwarded-Account-Id: root\r\nX-Other: root\r\n\r\n");
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(target.next()).contains("hello").doesNotContain("root");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/back/x/%252e%252e/admin",
                "/back/x/%25252e%25252e/admin",
                "/back/x%252f..%252fadmin",
                "/back/%2561dmin",
                "/back/x/..%3B/admin",
                "/back/x/.%3Ba=1/admin",
                "/back/admin%3Bx",
                "/back/x/%2e%2e/admin",
                "/back/x/..%5cadmin",
                "/back/x/..%255cadmin",
                "/back/./admin",
                "/back//admin",
                "/back/;/admin",
                "/back/;a=1/admin",
                "/back/..;/admin",
                "/back/x/..;a=1/admin",
                "/back/x%0d%0aX-Injected:1",
                "/back/x%00",
                "/back/%c0%ae%c0%ae/admin",
                "/back/x?a\tHTTP/1.1",
                "/back/x?a\u0000b",
                "/back/x?a\u0001b",
            })
    void paths_that_targets_may_read_otherwise_are_refused(String path) throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            assertThat(client.request("GET " + path, RawTarget.basic("ada"))
                            .answer()
                            .status())
                    .isEqualTo(400);
            assertThat(target.hasRequests()).isFalse();
        }
    }

    @Test
    void other_paths_arrive_as_they_were_judged() throws Exception {
        var spellings = List.of(
                List.of("/back/a%20b/%C3%A9", "/a%20b/%C3%A9"),
                List.of("/back/50%25/x?a=%2e%2e/", "/50%25/x?a=%2e%2e/"),
                List.of("/b%61ck/x;v=1/y;v=2", "/x/y"),
                List.of("/back/...", "/..."),
                List.of("/back/x//", "/x/"));
        Function<String, String> requestLine = head -> head.lines().findFirst().orElseThrow();
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (var spelling : spellings) {
                assertThat(client.request("GET " + spelling.getFirst(), RawTarget.basic("ada"))
                                .answer()
                                .status())
                        .as(spelling.getFirst())
                        .isEqualTo(200);
                assertThat(requestLine.apply(target.next())).isEqualTo("GET " + spelling.getLast() + " HTTP/1.1");
            }
            assertThat(client.request("GET /back/%61dmin", RawTarget.basic("ada"))
                            .answer()
                            .status())
                    .isEqualTo(403);
        }
    }
}
