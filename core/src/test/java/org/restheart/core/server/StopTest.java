package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.testkit.Patience;

@Timeout(180)
class StopTest {
    /// The number of requests in flight does not tell: one whose answer has arrived may still count.
    private final CompletableFuture<Void> arrived = new CompletableFuture<>();

    private Response late(CompletableFuture<Response.Ready> eventual) {
        arrived.complete(null);
        return Response.later(eventual, Function.identity());
    }

    @Test
    void running_requests_end_and_new_ones_are_refused() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.of(eager("/late", _ -> late(eventual)), blocking("/", _ -> Response.status(200)));
                var late = server.connect();
                var other = server.connect()) {
            late.request("GET /late");
            arrived.join();
            assertThat(other.request("GET /").answer().status()).isEqualTo(200);

            var stop = CompletableFuture.runAsync(() -> server.listener().stop(Duration.ofSeconds(10)));
            await().untilAsserted(() ->
                    assertThatThrownBy(server::connect).as("a new connection").isInstanceOf(IOException.class));
            var refused = other.request("GET /").answer();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Connection")).contains("close");
            assertThat(stop).isNotDone();

            eventual.complete(Response.json(200, "at last"));
            assertThat(late.answer().text()).isEqualTo("at last");
            stop.join();
            assertThat(late.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_request_that_takes_too_long_is_cut_off() throws Exception {
        try (var server = TestServer.of(
                        eager("/", _ -> Response.later(new CompletableFuture<Response.Ready>(), Function.identity())));
                var client = server.connect()) {
            client.request("GET /");
            await().until(() -> server.listener().inFlight() == 1);
            server.listener().stop(Duration.ofMillis(100));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void idle_connections_do_not_hold_up_a_stop() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("GET /").answer();
            server.listener().stop(Duration.ofSeconds(10));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_port_in_use_is_named() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)))) {
            int port = server.listener().address().getPort();
            assertThatThrownBy(() -> TestServer.onPort(port))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("http-listener")
                    .hasMessageContaining(Integer.toString(port));
        }
    }

    @Test
    void http_2_connections_are_refused_new_requests_as_well() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        var keystore = TestKeystore.shared();
        try (var server = TestServer.tls(
                        keystore.listener("changeit"),
                        eager("/late", _ -> late(eventual)),
                        blocking("/", _ -> Response.status(200)));
                var client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(keystore.context())
                        .build()) {
            var address = "https://localhost:" + server.listener().address().getPort();
            var request = HttpRequest.newBuilder(URI.create(address)).build();
            assertStatus(200, client.send(request, BodyHandlers.ofString()));
            var late = client.sendAsync(
                    HttpRequest.newBuilder(URI.create(address + "/late")).build(), BodyHandlers.ofString());
            arrived.join();
            var stop = CompletableFuture.runAsync(() -> server.listener().stop(Duration.ofSeconds(10)));
            await().untilAsserted(() -> assertThat(
                            client.send(request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(503));
            eventual.complete(Response.json(200, "at last"));
            assertThat(late.get(60, TimeUnit.SECONDS).body()).isEqualTo("at last");
            stop.join();
        }
    }

    @Test
    void an_idle_server_does_not_wait_for_the_whole_grace_period() {
        var grace = Duration.ofMinutes(10);
        try (var idle = Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {enabled: false}
            core: {grace-period-ms: %d}
            """.formatted(grace.toMillis())))) {
            long began = System.nanoTime();
            idle.announceStop();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Patience.relative(grace.dividedBy(60)));
        }
    }

    private Binding eventsOnceItIsOpen(CompletableFuture<Void> open) {
        return TestServer.pushing("/events", _ -> {
            arrived.complete(null);
            open.join();
            return new Subscription(Transport.SSE, new Backlog(1, 1), Duration.ZERO, _ -> {}, () -> {});
        });
    }

    /// Until then its end holds the only I/O thread.
    private void holdIoThread(TestServer server, RawClient client, CompletableFuture<Void> released) throws Exception {
        var held = new CompletableFuture<Void>();
        server.atEnd(() -> {
            held.complete(null);
            released.join();
        });
        client.request("GET /");
        held.join();
    }

    /// @param server with one I/O thread, which is held until it is released
    /// @param listener of a stream that is being opened until it is open
    private record Opening(
            TestServer server, RawClient listener, CompletableFuture<Void> open, CompletableFuture<Void> released) {}

    private interface Steps {
        void take(Opening opening) throws Exception;
    }

    private void whileAStreamIsBeingOpened(Steps steps) throws Exception {
        var open = new CompletableFuture<Void>();
        var released = new CompletableFuture<Void>();
        try (var server = TestServer.with(
                        "core: {io-threads: 1}", eventsOnceItIsOpen(open), eager("/", _ -> Response.status(200)));
                var listener = server.connect();
                var other = server.connect()) {
            listener.request("GET /events");
            arrived.join();
            holdIoThread(server, other, released);
            steps.take(new Opening(server, listener, open, released));
        } finally {
            released.complete(null);
        }
    }

    /// Once its head is on the way it is no request in flight any more.
    @Test
    void an_event_stream_that_is_being_opened_is_ended_as_open_ones_are() throws Exception {
        whileAStreamIsBeingOpened(opening -> {
            var server = opening.server();
            opening.open().complete(null);
            await().until(() -> server.listener().inFlight() == 0);
            var stop = CompletableFuture.runAsync(() -> server.listener().stop(Duration.ofSeconds(10)));
            await().untilAsserted(() ->
                    assertThatThrownBy(server::connect).as("a new connection").isInstanceOf(IOException.class));
            opening.released().complete(null);
            assertThat(opening.listener().answer().status()).isEqualTo(200);
            stop.join();
        });
    }

    /// Its client is still connected while the I/O threads end.
    @Test
    void an_event_stream_that_begins_when_the_stop_is_over_is_refused() throws Exception {
        whileAStreamIsBeingOpened(opening -> {
            var stop =
                    Thread.startVirtualThread(() -> opening.server().listener().stop(Duration.ofMillis(1)));
            await().until(() -> Arrays.stream(stop.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("awaitTermination")));
            opening.open().complete(null);
            var refused = opening.listener().answer();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Connection")).contains("close");
            assertThat(refused.header("Retry-After")).isNotEmpty();
            opening.released().complete(null);
            stop.join();
        });
    }
}
