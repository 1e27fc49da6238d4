package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Backlog.Offer;
import org.restheart.http.push.Message;
import org.restheart.http.push.Transport;

/// Messages that the server sends of its own accord, through TLS: records lie between them and the socket.
class TlsPushTest {
    private static final String LISTEN = "GET /push HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n\r\n";
    private static final String UPGRADE = "GET /push HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    private static final TestKeystore KEYSTORE = TestKeystore.shared();

    private final BlockingQueue<Backlog> opened = new LinkedBlockingQueue<>();
    private final AtomicInteger gone = new AtomicInteger();

    @AutoClose
    private final TestServer server = TestServer.tls(
            KEYSTORE.listener("changeit"), TestServer.pushing("/push", this::subscribe, gone::incrementAndGet));

    private Backlog subscribe() {
        var backlog = new Backlog(100_000, 1 << 30);
        opened.add(backlog);
        return backlog;
    }

    private SSLSocket open(String request) throws Exception {
        var socket = (SSLSocket) KEYSTORE.context().getSocketFactory().createSocket();
        socket.setSoTimeout(60_000);
        socket.connect(server.listener().address());
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private Backlog backlog() throws InterruptedException {
        return Objects.requireNonNull(opened.poll(60, TimeUnit.SECONDS));
    }

    private static BufferedReader afterHead(SSLSocket socket) throws IOException {
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (var line = in.readLine(); !line.isEmpty(); line = in.readLine()) {}
        return in;
    }

    @Test
    void every_event_arrives_in_order_however_late_the_client_reads() throws Exception {
        int events = 5_000;
        try (var socket = open(LISTEN)) {
            var in = afterHead(socket);
            var backlog = backlog();
            for (int n = 0; n < events; n++) { // more than the socket takes, in pieces of all sizes around a record
                var text = n + "x".repeat(n * 37 % 20_000);
                var message = new Message("{}", text.getBytes(StandardCharsets.UTF_8), 0);
                assertThat(backlog.offer(message.framed(Transport.SSE))).isEqualTo(Offer.TAKEN);
            }
            for (int n = 0; n < events; n++) {
                assertThat(in.readLine()).isEqualTo("id:{}");
                assertThat(in.readLine()).isEqualTo("event:change");
                var data = in.readLine();
                assertThat(data)
                        .hasSize(5 + ("" + n).length() + n * 37 % 20_000)
                        .startsWith("data:" + n);
                assertThat(in.readLine()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {LISTEN, UPGRADE})
    void a_client_that_closes_is_noticed_without_an_event(String request) throws Exception {
        try (var socket = open(request)) {
            afterHead(socket);
            assertThat(gone).hasValue(0);
        }
        await().until(() -> gone.get() > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {LISTEN, UPGRADE})
    void a_close_notify_without_the_end_of_tcp_is_detected(String request) throws Exception {
        try (var socket = open(request)) {
            afterHead(socket);
            socket.shutdownOutput(); // close_notify, and the TCP connection stays
            await().until(() -> gone.get() > 0);
        }
    }
}
