package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.http.Response;
import org.restheart.testkit.Opened;

/// Heads of requests that are not complete, of which there may be 1 MiB here.
class ArrivingHeadsTest {
    private static final String LARGE = "GET / HTTP/1.1\r\nHost: test\r\nX-Large: " + "x".repeat(100_000);

    /// The beginning of a field of HTTP/2 whose value has 3,000 bytes.
    private static final byte[] FIELD = {0, 1, 'x', 0x7f, (byte) 0xb9, 0x16};

    @AutoClose
    private final Opened<Socket> sockets = new Opened<>();

    private Socket connect(TestServer server) throws IOException {
        var socket = sockets.add(new Socket());
        socket.bind(new InetSocketAddress("127.0.0.1", 0));
        socket.connect(server.listener().address());
        return socket;
    }

    private static void send(Socket socket, byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        try {
            out.write(bytes);
        } catch (SocketException _) {
            assertThat(isClosed(socket)).isTrue();
        }
    }

    /// After what the server has still sent, such as its settings.
    private static boolean isClosed(Socket socket) throws IOException {
        socket.setSoTimeout(20);
        try {
            while (socket.getInputStream().read() >= 0) {
                // a refusal is as good as none
            }
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        }
    }

    private long open() throws IOException {
        long open = 0;
        for (var socket : sockets.all()) {
            open += isClosed(socket) ? 0 : 1;
        }
        return open;
    }

    private static int status(TestServer server, String address, String request) throws IOException {
        try (var client = new RawClient(server.listener().address(), address)) {
            return client.send(request + "\r\n\r\n").answer().status();
        }
    }

    @Test
    void an_address_has_a_share_of_their_memory() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(200)))) {
            for (int i = 0; i < 20; i++) {
                send(connect(server), LARGE.getBytes(StandardCharsets.US_ASCII));
            }
            await().untilAsserted(() -> assertThat(open()).isBetween(3L, 7L));
            assertThat(status(server, "127.0.0.9", LARGE)).isEqualTo(200);
            assertThat(status(server, "127.0.0.1", "GET / HTTP/1.1\r\nHost: test"))
                    .isEqualTo(200);
            sockets.close();
            await().ignoreExceptions().until(() -> status(server, "127.0.0.1", LARGE) == 200);
        }
    }

    @Test
    void an_address_has_a_share_of_their_memory_in_http_2() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(200)))) {
            var bytes = new ByteArrayOutputStream();
            bytes.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            bytes.writeBytes(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            bytes.writeBytes(new byte[] {0, 0x3a, (byte) 0xb6, 1, 0, 0, 0, 0, 1});
            for (int field = 0; field < 5; field++) {
                bytes.writeBytes(FIELD);
                bytes.writeBytes("x".repeat(3_000).getBytes(StandardCharsets.US_ASCII));
            }
            for (int i = 0; i < 60; i++) {
                send(connect(server), bytes.toByteArray());
            }
            await().untilAsserted(() -> assertThat(open()).isBetween(20L, 40L));
        }
    }

    @Test
    void content_and_what_follows_a_request_do_not_count() throws Exception {
        var service =
                blocking("/", request -> Response.json(200, "" + request.body().bytes().length));
        try (var server = TestServer.of(service);
                var client = server.connect()) {
            for (int i = 0; i < 3; i++) {
                client.request("POST /", "Content-Length: 2000000");
                for (int part = 0; part < 20; part++) {
                    client.send("x".repeat(100_000));
                }
                assertThat(client.answer().text()).isEqualTo("2000000");
            }
            client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n".repeat(200));
            for (int i = 0; i < 200; i++) {
                assertThat(client.answer().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void in_http_2_they_end_in_time_even_if_some_bytes_come() throws Exception {
        try (var server = TestServer.with(
                "connection-options: {REQUEST_PARSE_TIMEOUT: 500}", eager("/", _ -> Response.status(200)))) {
            var socket = connect(server);
            send(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            send(socket, new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            send(socket, new byte[] {0, 0x3a, (byte) 0xb6, 1, 0, 0, 0, 0, 1});
            send(socket, FIELD);
            await().untilAsserted(() -> {
                send(socket, new byte[] {'x'});
                assertThat(isClosed(socket)).isTrue();
            });
        }
    }
}
