package org.restheart.perftest.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.sse.ServerSentEventConnection;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSockets;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.perftest.listen.ListenOrder.ListenTransport;

class ListenersTest {
    private static final int LISTENERS = 12;
    private static final int EVENTS = 8;

    private final Set<WebSocketChannel> sockets = ConcurrentHashMap.newKeySet();
    private final Set<ServerSentEventConnection> streams = ConcurrentHashMap.newKeySet();
    private Undertow server = Undertow.builder().build();

    @BeforeEach
    void serve() {
        HttpHandler stream = Handlers.path()
                .addExactPath("/websocket", Handlers.websocket((_, channel) -> {
                    sockets.add(channel);
                    channel.resumeReceives();
                }))
                .addExactPath("/http2", Handlers.serverSentEvents((connection, _) -> streams.add(connection)));
        server = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setServerOption(UndertowOptions.ENABLE_HTTP2, true)
                .setIoThreads(1)
                .setHandler(exchange -> {
                    var asAdmin = "Basic YWRtaW46c2VjcmV0"
                            .equals(exchange.getRequestHeaders().getFirst("Authorization"));
                    if (asAdmin) {
                        stream.handleRequest(exchange);
                    } else {
                        exchange.setStatusCode(401).endExchange();
                    }
                })
                .build();
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @ParameterizedTest
    @EnumSource
    void every_listener_receives_every_event(ListenTransport transport) throws Exception {
        try (var loop = new ListenLoop(order(transport, 0, EVENTS))) {
            var result = collectWhile(loop, () -> {
                for (var i = 1; i <= EVENTS; i++) {
                    broadcast(event(i));
                }
            });
            assertThat(result.accepted()).isEqualTo(LISTENERS);
            assertThat(result.deliveries()).isEqualTo((long) LISTENERS * EVENTS);
            assertThat(result.troubles()).isEmpty();
            assertThat(result.histogram().getTotalCount()).isEqualTo((long) LISTENERS * EVENTS);
            assertThat(result.bytes()).isGreaterThan((long) LISTENERS * EVENTS * 100);
        }
    }

    @ParameterizedTest
    @EnumSource
    void gaps_repetitions_and_losses_are_noticed(ListenTransport transport) throws Exception {
        try (var loop = new ListenLoop(order(transport, 0, 5))) {
            var result = collectWhile(loop, () -> {
                for (var i : List.of(1, 2, 4, 4)) {
                    broadcast(event(i));
                }
            });
            assertThat(result.troubles())
                    .containsEntry("gap before an event", (long) LISTENERS)
                    .containsEntry("event out of order or twice", (long) LISTENERS);
            assertThat(result.deliveries()).isEqualTo(4L * LISTENERS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_refused_listener_gets_a_status(ListenTransport transport) throws Exception {
        var target = new Target("127.0.0.1", port(), "/" + transport, "admin:wrong");
        try (var loop = new ListenLoop(
                new ListenOrder(List.of(target), transport, 3, transport == ListenTransport.http2 ? 3 : 1, 0, 1, 50))) {
            assertThat(loop.connect()).isZero();
            assertThat(loop.collect(50).troubles())
                    .containsValue(3L)
                    .containsAnyOf(Map.entry("HTTP 401", 3L), Map.entry("stream not accepted", 3L));
        }
    }

    @Test
    void pings_are_answered() throws Exception {
        try (var loop = new ListenLoop(order(ListenTransport.websocket, 0, 1))) {
            var pongs = CompletableFuture.runAsync(() -> {
                await().until(() -> sockets.size() == LISTENERS);
                sockets.forEach(socket -> WebSockets.sendPing(
                        ByteBuffer.wrap("are you there".getBytes(StandardCharsets.US_ASCII)), socket, null));
                broadcast(event(1));
            });
            loop.connect();
            assertThat(loop.collect(10_000).troubles()).isEmpty();
            pongs.join();
            assertThat(sockets).allMatch(WebSocketChannel::isOpen);
        }
    }

    @Test
    void a_stalled_listener_does_not_count() throws Exception {
        try (var loop = new ListenLoop(order(ListenTransport.websocket, 2, EVENTS))) {
            var result = collectWhile(loop, () -> {
                for (var i = 1; i <= EVENTS; i++) {
                    broadcast(event(i));
                }
            });
            assertThat(sockets).hasSize(LISTENERS + 2);
            assertThat(result.deliveries()).isEqualTo((long) LISTENERS * EVENTS);
            assertThat(result.troubles()).isEmpty();
        }
    }

    @Test
    void many_streams_share_one_http2_connection() throws Exception {
        try (var loop = new ListenLoop(order(ListenTransport.http2, 0, 1))) {
            assertThat(loop.connect()).isEqualTo(LISTENERS);
            await().until(() -> streams.size() == LISTENERS);
        }
    }

    private ListenResult collectWhile(ListenLoop loop, Runnable publishing) throws Exception {
        assertThat(loop.connect()).isEqualTo(LISTENERS);
        // the server accepts a listener a moment before it knows it
        await().until(() -> sockets.size() + streams.size() >= LISTENERS);
        var publisher = CompletableFuture.runAsync(publishing);
        var result = loop.collect(10_000);
        publisher.join();
        return result;
    }

    private static String event(int number) {
        return "{\"fullDocument\": {\"_id\": {\"$oid\": \"6800000000000000000000aa\"}, \"seq\": " + number
                + ", \"sentAt\": " + System.nanoTime() + ", \"padding\": \""
                + "x".repeat(number % 4 == 0 ? 70_000 : 100) + "\"}}";
    }

    private void broadcast(String event) {
        sockets.forEach(socket -> WebSockets.sendText(event, socket, null));
        streams.forEach(stream -> stream.send(event));
    }

    private ListenOrder order(ListenTransport transport, int stalled, int events) {
        var target = new Target("127.0.0.1", port(), "/" + transport, "admin:secret");
        var streamsPerConnection = transport == ListenTransport.http2 ? 5 : 1;
        return new ListenOrder(List.of(target), transport, LISTENERS, streamsPerConnection, stalled, events, 300);
    }

    private int port() {
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }
}
