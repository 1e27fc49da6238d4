package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;

/// Clients that send without pause leave the I/O thread to others.
class ReadTurnTest {
    private static final String UPGRADE = "GET /push HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    private static Response listen(Request request) {
        var content = new Content.Push(
                new Subscription(Transport.WEB_SOCKET, new Backlog(100, 1 << 20), Duration.ZERO, _ -> {}, () -> {}));
        return Response.status(101)
                .with(WebSocketHandshake.answer(request.headers()))
                .with(content);
    }

    /// Messages without content, which a listener may send and nobody reads.
    private static byte[] frames() {
        var frames = new byte[6 * 100_000];
        for (int i = 0; i < frames.length; i += 6) {
            frames[i] = (byte) 0x82;
            frames[i + 1] = (byte) 0x80;
        }
        return frames;
    }

    /// Clients that send all the time.
    private static final class Floods implements AutoCloseable {
        private final Opened<Socket> sockets = new Opened<>();
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicLong sent = new AtomicLong();

        void start(Socket socket, byte[] bytes) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    while (!Thread.currentThread().isInterrupted()) {
                        socket.getOutputStream().write(bytes);
                        sent.addAndGet(bytes.length);
                    }
                } catch (SocketException _) { // the test has closed it
                    return;
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }));
        }

        /// Until the server has much to receive of each.
        void awaitFlow() {
            await().until(() -> sent.get() > 2L << 20);
        }

        @Override
        public void close() {
            sockets.close();
            await().until(() -> threads.stream().noneMatch(Thread::isAlive));
        }
    }

    @Test
    void a_listener_that_sends_without_pause_leaves_the_thread_to_others() throws Exception {
        try (var server = TestServer.with(
                        "core: {io-threads: 1}",
                        blocking("/push", ReadTurnTest::listen),
                        eager("/", _ -> Response.status(200)));
                var floods = new Floods()) {
            for (int i = 0; i < 4; i++) {
                var socket = floods.sockets.add(new Socket());
                socket.connect(server.listener().address());
                socket.getOutputStream().write(UPGRADE.getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 101");
            }
            var bytes = frames();
            floods.sockets.all().forEach(socket -> floods.start(socket, bytes));
            floods.awaitFlow();
            for (int i = 0; i < 10; i++) {
                try (var client = server.connect()) { // waits ten seconds at most
                    assertThat(client.request("GET /").answer().status()).isEqualTo(200);
                }
            }
        }
    }

    /// Frames of an unknown type, which are ignored (RFC 9113, 4.1).
    private static byte[] unknownFrames() {
        var frames = new byte[10 * 10_000];
        for (int i = 0; i < frames.length; i += 10) {
            frames[i + 2] = 1;
            frames[i + 3] = 99;
        }
        return frames;
    }

    @Test
    void frames_that_come_by_tls_without_pause_leave_the_thread_to_others() throws Exception {
        var keystore = TestKeystore.shared();
        try (var server = TestServer.tls(
                        keystore.listener("changeit") + "\ncore: {io-threads: 1}",
                        eager("/", _ -> Response.status(200)));
                var floods = new Floods()) {
            var factory = keystore.context().getSocketFactory();
            var port = server.listener().address().getPort();
            var client = floods.sockets.add(factory.createSocket("localhost", port));
            client.setSoTimeout(60_000);
            get(client);
            for (int i = 0; i < 4; i++) {
                var socket = floods.sockets.add((SSLSocket) factory.createSocket("localhost", port));
                var parameters = socket.getSSLParameters();
                parameters.setApplicationProtocols(new String[] {"h2"});
                socket.setSSLParameters(parameters);
                socket.getOutputStream().write(RawHttp2.PREFACE.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // no settings
                floods.start(socket, unknownFrames());
            }
            floods.awaitFlow();
            long began = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                get(client);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Patience.relative(Duration.ofSeconds(4)));
        }
    }

    private static void get(Socket client) throws IOException {
        client.getOutputStream().write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        var answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\n")) {
            answer.append((char) client.getInputStream().read());
        }
        assertThat(answer).startsWith("HTTP/1.1 200");
    }

    private static Thread readAll(Socket socket) {
        return Thread.ofPlatform().start(() -> {
            try {
                while (socket.getInputStream().skip(1 << 16) > 0) {
                    // the responses are of no interest
                }
            } catch (SocketException _) { // the test has closed it
                return;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void a_client_that_does_not_await_responses_leaves_the_thread_to_others() throws Exception {
        try (var server = TestServer.with("core: {io-threads: 1}", eager("/", _ -> Response.status(200)));
                var client = server.connect();
                var floods = new Floods()) {
            client.request("GET /").answer();
            var requests = "GET / HTTP/1.1\r\nHost: test\r\n\r\n".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 4; i++) {
                var socket = floods.sockets.add(new Socket());
                socket.connect(server.listener().address());
                floods.threads.add(readAll(socket));
                floods.start(socket, requests);
            }
            floods.awaitFlow();
            long began = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Patience.relative(Duration.ofSeconds(4)));
        }
    }

    @Test
    void clients_that_use_a_connection_for_each_request_leave_the_thread_to_others() throws Exception {
        var clients = new Opened<RawClient>();
        var connecting = new AtomicReference<@Nullable Callable<RawClient>>();
        var entered = new CountDownLatch(1);
        var begin = new CountDownLatch(1);
        var once = new AtomicInteger();
        var onceBeforeKept = new AtomicInteger();
        try (clients;
                var server = TestServer.with(
                        "core: {io-threads: 1}",
                        eager("/once", _ -> {
                            if (once.incrementAndGet() < 200 && onceBeforeKept.get() == 0) {
                                connect(clients, connecting.get());
                            }
                            return Response.status(200);
                        }),
                        eager("/held", _ -> {
                            entered.countDown();
                            assertThatNoException().isThrownBy(begin::await);
                            return Response.status(200);
                        }),
                        eager("/kept", _ -> Response.json(200, "" + once.get())));
                var kept = server.connect();
                var held = server.connect()) {
            connecting.set(() -> server.connect().request("GET /once"));
            kept.request("GET /").answer();
            held.request("GET /held");
            entered.await();
            for (int i = 0; i < 10; i++) {
                connect(clients, connecting.get());
            }
            kept.request("GET /kept");
            begin.countDown();
            onceBeforeKept.set(Integer.parseInt(kept.answer().text()));
            assertThat(onceBeforeKept).hasValueLessThan(40);
        }
    }

    /// A client that sends its request before it is accepted, while the request takes a while.
    private static void connect(Opened<RawClient> clients, Callable<RawClient> connecting) {
        try {
            clients.add(connecting.call()).pause(Duration.ofMillis(5));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// One that waits for a turn waits for a millisecond at least.
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"})
    void content_that_comes_with_its_head_is_no_further_request(String rest) throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(200)));
                var client = server.connect()) {
            var request = "POST / HTTP/1.1\r\nHost: test\r\n" + rest;
            long before = ReadTurn.later();
            for (int i = 0; i < 100; i++) {
                assertThat(client.send(request).answer().status()).isEqualTo(200);
            }
            assertThat(ReadTurn.later()).isEqualTo(before);
        }
    }

    @Test
    void all_of_many_requests_that_come_together_are_answered_with_their_content() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/",
                        request -> Response.json(200, new String(request.body().bytes(), StandardCharsets.UTF_8))));
                var client = server.connect()) {
            var requests = new StringBuilder();
            for (int i = 100; i < 200; i++) {
                requests.append("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\n")
                        .append(i);
            }
            client.send(requests.toString());
            for (int i = 100; i < 200; i++) {
                assertThat(client.answer().text()).isEqualTo(Integer.toString(i));
            }
        }
    }
}
