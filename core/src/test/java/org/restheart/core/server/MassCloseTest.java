package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;

/// Many listeners that go at once: their connections are closed elsewhere than on the threads that requests need.
class MassCloseTest {
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
    private static final int IDLE = 6_000;
    private static final int LATER = 20;
    private static final String LISTEN = "GET /push HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n\r\n";
    private static final String UPGRADE = "GET /push HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    private static final TestKeystore KEYSTORE = TestKeystore.shared();
    private static SocketFactory tls = SocketFactory.getDefault();

    private int listeners = 1_500;
    private final AtomicInteger gone = new AtomicInteger();
    private final Queue<Backlog> backlogs = new ConcurrentLinkedQueue<>();
    private final Queue<String> ends = new ConcurrentLinkedQueue<>();

    @AutoClose
    private final Opened<Socket> sockets = new Opened<>();

    @BeforeAll
    static void connectByTls() throws Exception {
        tls = KEYSTORE.context().getSocketFactory();
    }

    private Backlog subscribe() {
        var backlog = new Backlog(10, 1 << 20);
        backlogs.add(backlog);
        return backlog;
    }

    private TestServer plain() {
        return TestServer.of(
                TestServer.pushing("/push", this::subscribe, gone::incrementAndGet),
                TestServer.eager("/", _ -> Response.status(200)));
    }

    private Socket connect(TestServer server, boolean secure) throws IOException {
        var socket = sockets.add(secure ? tls.createSocket() : new Socket());
        socket.setSoTimeout(60_000);
        socket.connect(server.listener().address());
        return socket;
    }

    private void listen(TestServer server, String request, boolean secure) throws IOException {
        for (int i = 0; i < listeners; i++) {
            connect(server, secure).getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        }
        for (var socket : sockets.all()) { // a byte of the head
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
    }

    private void closeAtOnce() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var socket : sockets.all()) {
                threads.submit(() -> {
                    socket.close();
                    return null;
                });
            }
        }
    }

    private void assertEndedElsewhere() {
        await().until(() -> ends.size() >= listeners);
        assertThat(ends).noneMatch(thread -> thread.startsWith("http I/O"));
    }

    private void noteEnds(TestServer server) {
        server.atEnd(() -> ends.add(Thread.currentThread().getName()));
    }

    @Test
    void event_streams_whose_clients_go() throws Exception {
        try (var server = plain()) {
            noteEnds(server);
            listen(server, LISTEN, false);
            closeAtOnce();
            assertEndedElsewhere();
            assertServes(server, false);
        }
    }

    @Test
    void idle_connections_whose_clients_go() throws Exception {
        try (var server = plain()) {
            for (int i = 0; i < IDLE; i++) {
                get(connect(server, false));
            }
            closeAtOnce();
            assertServesSoon(server);
            await().until(() -> server.listener().connections() == LATER);
        }
    }

    @Test
    void idle_connections_that_clients_reset() throws Exception {
        try (var server = plain()) {
            for (int i = 0; i < IDLE; i++) {
                var socket = connect(server, false);
                if (i % 2 == 0) { // the others have not sent anything
                    get(socket);
                }
                socket.setSoLinger(true, 0);
            }
            closeAtOnce();
            assertServesSoon(server);
            await().until(() -> server.listener().connections() == LATER);
        }
    }

    @Test
    void idle_connections_over_tls_whose_clients_go() throws Exception {
        try (var server =
                TestServer.tls(KEYSTORE.listener("changeit"), TestServer.eager("/", _ -> Response.status(200)))) {
            for (int i = 0; i < 100; i++) {
                get(connect(server, true));
            }
            closeAtOnce();
            assertServes(server, true);
            await().until(() -> server.listener().connections() == 1);
        }
    }

    /// A client may close its side before the response to its last request.
    @Test
    void half_closed_connections_are_answered() throws Exception {
        try (var server = TestServer.of(TestServer.blocking("/", _ -> {
            sleep(Duration.ofMillis(300));
            return Response.json(200, "{}");
        }))) {
            for (int requests = 1; requests <= 2; requests++) {
                var socket = connect(server, false);
                socket.getOutputStream().write(REQUEST.repeat(requests).getBytes(StandardCharsets.US_ASCII));
                socket.shutdownOutput();
                var all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                assertThat(all.split("HTTP/1.1 200", -1)).hasSize(requests + 1);
            }
        }
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertServesSoon(TestServer server) throws IOException {
        long start = System.nanoTime();
        for (int i = 0; i < LATER; i++) {
            assertServes(server, false);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.relative(Duration.ofSeconds(2)));
    }

    @Test
    void event_streams_of_http2_whose_clients_go() throws Exception {
        try (var server = plain()) {
            var clients = new ArrayList<RawHttp2>();
            for (int i = 0; i < listeners; i++) {
                var client = new RawHttp2(server.listener().address());
                clients.add(client);
                client.get(1, "/push", "accept", "text/event-stream");
            }
            for (var client : clients) {
                assertThat(client.frame().type()).isEqualTo(RawHttp2.HEADERS);
            }
            try (var threads = Executors.newFixedThreadPool(8)) {
                for (var client : clients) {
                    threads.submit(() -> {
                        client.close();
                        return null;
                    });
                }
            }
            long start = System.nanoTime();
            assertServes(server, false);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Patience.relative(Duration.ofSeconds(2)));
            await().until(() -> gone.get() >= listeners);
        }
    }

    @Test
    void event_streams_over_tls_whose_clients_go() throws Exception {
        try (var server = TestServer.tls(
                KEYSTORE.listener("changeit"),
                TestServer.pushing("/push", this::subscribe, gone::incrementAndGet),
                TestServer.eager("/", _ -> Response.status(200)))) {
            listeners = 60;
            noteEnds(server);
            listen(server, LISTEN, true);
            closeAtOnce();
            assertEndedElsewhere();
            assertServes(server, true);
        }
    }

    @Test
    void event_streams_that_the_server_ends() throws Exception {
        try (var server = plain()) {
            noteEnds(server);
            listen(server, LISTEN, false);
            backlogs.forEach(backlog -> backlog.end(Ending.REDEFINED));
            assertEndedElsewhere();
            for (var socket : sockets.all()) {
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .startsWith("TTP/1.1 200");
            }
            assertServes(server, false);
        }
    }

    @Test
    void websockets_whose_clients_go() throws Exception {
        try (var server = plain()) {
            listen(server, UPGRADE, false);
            closeAtOnce();
            await().until(() -> gone.get() >= listeners);
            assertServes(server, false);
        }
    }

    private void assertServes(TestServer server, boolean secure) throws IOException {
        get(connect(server, secure));
    }

    private static void get(Socket socket) throws IOException {
        socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                .isEqualTo("HTTP/1.1 200");
    }
}
