package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.core.service.ProxyService;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.CallerScope;
import org.restheart.security.SecurityFilter;
import org.restheart.testkit.Patience;
import org.slf4j.LoggerFactory;

/// What requests that are handed on to a target hold while they wait, and what ends them.
class ForwardingTest {
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int IN_FLIGHT = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final String ZEROS = "2000\r\n" + "0".repeat(0x2000) + "\r\n";

    @AutoClose
    private final SilentTarget target = new SilentTarget();

    private final AtomicBoolean standing = new AtomicBoolean(true);

    ForwardingTest() throws IOException {}

    /// A proxy whose requests are all of one account.
    private record OfAda(ProxyService proxy, AtomicBoolean standing) implements Service {
        @Override
        public String name() {
            return proxy.name();
        }

        @Override
        public boolean streamsContent(Request request) {
            return true;
        }

        @Override
        public Traffic traffic() {
            return proxy.traffic();
        }

        @Override
        public Response handle(Request request) {
            return CallerScope.call(
                    CallerScope.account("ada"),
                    () -> proxy.handle(request.with(SecurityFilter.STANDING, standing::get)));
        }
    }

    /// @param more of the entry of `proxies`
    private TestServer server(String more) {
        var proxies = "core: {io-threads: 1, max-in-flight-requests: " + IN_FLIGHT
                + "}\nproxies: [{location: /back, proxy-pass: '" + target.url() + "'" + more + "}]";
        var config = GatewayConfig.parse(proxies);
        var proxy = new ProxyService(
                config.proxies().getFirst(),
                config.core(),
                new ProxyService.Credentials(Set.of(), Set.of()),
                _ -> false);
        return TestServer.with(
                proxies,
                IN_FLIGHT,
                Duration.ofSeconds(10),
                PATIENCE,
                Binding.prefix(new OfAda(proxy, standing), "/back", false),
                TestServer.blocking("/own", _ -> Response.status(200)));
    }

    private static RawHttp2 client(TestServer server) throws IOException {
        return new RawHttp2(server.listener().address());
    }

    private static void assertGoesOn(RawHttp2 client, int stream) throws IOException {
        client.get(stream, "/own");
        assertThat(client.awaitEnd(stream).payload()[0] & 0xff)
                .as("the connection goes on")
                .isEqualTo(RawHttp2.OK);
    }

    private static int inFlight(TestServer server) {
        return server.listener().inFlight();
    }

    @ParameterizedTest
    @ValueSource(strings = {"?all=%C3", "?all=1&a=%FF"})
    void queries_that_cannot_be_read_are_not_left_out(String query) throws Exception {
        try (var server = server("");
                var client = server.connect()) {
            assertThat(client.request("DELETE /back/x" + query).answer().status())
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X Y: 1", "X@Y: 1", "X : 1", ": 1", "{X}: 1", "X\0: 1"})
    void a_field_that_no_header_can_have_is_a_fault_of_the_target(String field) throws Exception {
        try (var server = server("");
                var client = server.connect()) {
            client.request("GET /back/x");
            target.accept().trySend("HTTP/1.1 200 OK\r\n" + field + "\r\nContent-Length: 2\r\n\r\nok");
            assertThat(client.answer().status()).isEqualTo(503);
            assertThat(client.request("GET /own").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void requests_that_wait_for_a_target_leave_places_to_other_services() throws Exception {
        try (var server = server(", connections-per-thread: 2, max-queue-size: 1000");
                var waiting = client(server);
                var other = server.connect()) {
            for (int i = 0; i < 2 * IN_FLIGHT; i++) {
                waiting.get(2 * i + 1, "/back/x");
            }
            target.accept();
            await().untilAsserted(() -> assertThat(server.observations().size() + inFlight(server))
                    .as(() -> server.observations().size() + " over, " + inFlight(server) + " in flight")
                    .isEqualTo(2 * IN_FLIGHT));
            assertThat(other.request("GET /own").answer().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_goes_while_others_of_its_caller_hold_the_connections_frees_its_places(boolean reset)
            throws Exception {
        try (var server = server(", connections-per-thread: 1");
                var first = server.connect();
                var waiting = client(server)) {
            first.request("GET /back/first");
            target.accept();
            for (int stream = 1; stream < 10; stream += 2) {
                waiting.get(stream, "/back/x");
            }
            await().until(() -> inFlight(server) == 6);
            if (reset) {
                for (int stream = 1; stream < 10; stream += 2) {
                    waiting.reset(stream);
                }
            } else {
                waiting.close();
            }
            Patience.within(Duration.ofSeconds(5)).until(() -> inFlight(server) == 1);
            if (reset) {
                assertGoesOn(waiting, 11);
            }
            target.answer();
            assertThat(first.answer().status()).isEqualTo(200);
            await().until(() -> server.observations().size() == (reset ? 7 : 6));
        }
    }

    @Test
    void a_client_that_closes_its_sending_side_has_gone() throws Exception {
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        var undertow = (Logger) LoggerFactory.getLogger("io.undertow");
        undertow.addAppender(logged);
        try (var server = server("");
                var client = server.connect()) {
            client.request("GET /back/gone");
            target.accept();
            client.end();
            target.assertClosed();
            await().until(() -> server.observations().size() == 1);
            assertThat(server.observations().getFirst().status()).isEqualTo(499);
            assertThat(logged.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .noneMatch(line -> line.contains("/back/gone"));
        } finally {
            undertow.detachAppender(logged);
        }
    }

    /// What the client does not take.
    enum Untaken {
        A_SHORT_RESPONSE("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0),
        AN_EVENT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0),
        MUCH("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ZEROS.repeat(100), 0),
        SEVERAL_BUFFERS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ZEROS.repeat(3), 0),
        THE_REST("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ZEROS.repeat(100), 5_000);

        private final String response;
        private final int window;

        Untaken(String response, int window) {
            this.response = response;
            this.window = window;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_of_http_2_that_is_not_taken_frees_the_connection_to_the_target(Untaken untaken) throws Exception {
        try (var server = server(", connections-per-thread: 1");
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, untaken.window)) {
            client.get(1, "/back/x");
            target.accept();
            var sending = Thread.startVirtualThread(() -> target.trySend(untaken.response));
            assertThat(client.awaitEnd(1).type()).isEqualTo(RawHttp2.RESET);
            await().until(() -> inFlight(server) == 0);
            sending.join();
            assertGoesOn(client, 3);
            if (untaken != Untaken.A_SHORT_RESPONSE) {
                target.assertClosed();
            }
        }
    }

    @Test
    void a_response_of_http_1_that_is_not_taken_frees_the_connection_to_the_target() throws Exception {
        try (var server = server(", connections-per-thread: 1");
                var client = server.connect()) {
            client.request("GET /back/x");
            target.accept();
            var sending =
                    Thread.startVirtualThread(() -> target.trySend(Untaken.AN_EVENT.response + ZEROS.repeat(10_000)));
            await().until(() -> server.observations().size() == 1);
            sending.join();
            target.assertClosed();
            assertThat(inFlight(server)).isZero();
        }
    }

    /// Sends a request by one of two clients, and receives the beginning of an endless response.
    private void begin(boolean http2, RawClient first, RawHttp2 second) throws IOException {
        if (http2) {
            second.get(1, "/back/x");
            target.accept().begin();
            assertThat(second.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
            assertThat(second.frame().payload()).hasSize(3);
        } else {
            first.request("GET /back/x");
            target.accept().begin();
            assertThat(first.answerToHead().status()).isEqualTo(200);
        }
    }

    /// For longer than a client may take nothing.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_target_may_be_silent_for_as_long_as_it_likes(boolean http2) throws Exception {
        try (var server = server("");
                var first = server.connect();
                var second = client(server)) {
            begin(http2, first, second);
            first.pause(PATIENCE.plusMillis(1_500));
            target.send("2\r\nde\r\n0\r\n\r\n");
            if (http2) {
                assertThat(second.frame().payload())
                        .asString(StandardCharsets.US_ASCII)
                        .isEqualTo("de");
                assertThat(second.awaitEnd(1).type()).isEqualTo(RawHttp2.DATA);
            } else {
                for (var line : new String[] {"3", "abc", "2", "de", "0", ""}) {
                    assertThat(first.line()).matches("0*" + line); // a size may begin with zeros
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_response_ends_with_the_credentials(boolean http2) throws Exception {
        try (var server = server("");
                var first = server.connect();
                var second = client(server)) {
            begin(http2, first, second);
            standing.set(false);
            target.assertClosed();
            if (http2) {
                assertThat(second.awaitEnd(1).type()).isEqualTo(RawHttp2.RESET);
                assertGoesOn(second, 3);
            } else {
                assertThat(first.isClosedByServer()).isTrue();
            }
            await().until(() -> inFlight(server) == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_upload_ends_with_the_credentials(boolean http2) throws Exception {
        try (var server = server("");
                var first = server.connect();
                var second = client(server)) {
            if (http2) {
                second.begin(1, "POST", "/back/x", 100_000);
                second.content(1, "0".repeat(5_000), false);
            } else {
                first.request("POST /back/x", "Content-Length: 100000").send("0".repeat(5_000));
            }
            target.accept();
            standing.set(false);
            target.assertClosed();
            target.assertNoMore();
            if (http2) {
                assertThat(second.frame().type()).isEqualTo(RawHttp2.HEADERS);
                assertThat(second.frame().payload())
                        .asString(StandardCharsets.UTF_8)
                        .contains("the credentials have ended");
                assertGoesOn(second, 3);
            } else {
                assertThat(first.answer().status()).isEqualTo(401);
                assertThat(first.isClosedByServer()).isTrue();
            }
            await().until(() -> inFlight(server) == 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void a_response_of_http_2_that_its_target_breaks_off_ends_alone(boolean chunked, boolean reset) throws Exception {
        try (var server = server("");
                var client = client(server)) {
            client.get(1, "/back/x");
            target.accept()
                    .send("HTTP/1.1 200 OK\r\n"
                            + (chunked
                                    ? "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
                                    : "Content-Length: 9\r\n\r\nabc"));
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
            assertThat(client.frame().payload()).hasSize(3);
            target.breakOff(reset);
            assertThat(client.awaitEnd(1).type()).isEqualTo(RawHttp2.RESET);
            assertGoesOn(client, 3);
            await().until(() -> inFlight(server) == 0);
        }
    }
}
