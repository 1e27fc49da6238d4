package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Request;
import org.restheart.http.Service.Traffic;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Backlog.Offer;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.testkit.Patience;

/// Messages that the server sends of its own accord, over the wire.
class PushTest {
    private static final String UPGRADE = "GET /push HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String LISTEN = "GET /push HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n\r\n";

    private final BlockingQueue<Backlog> opened = new LinkedBlockingQueue<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private Duration keepAlive = Duration.ZERO;
    private long maxBytes = 1 << 20;

    @AutoClose
    private final TestServer server = TestServer.of(TestServer.pushing("/push", this::subscribe));

    private Subscription subscribe(Request request) {
        var backlog = new Backlog(100, maxBytes);
        opened.add(backlog);
        return new Subscription(
                TestServer.transport(request), backlog, keepAlive, _ -> sent.incrementAndGet(), gone::incrementAndGet);
    }

    /// The duration of a stream is the client's choice, and would hide that of requests.
    @ParameterizedTest
    @ValueSource(strings = {UPGRADE, LISTEN})
    void a_stream_is_not_measured_as_a_request(String request) throws Exception {
        try (var socket = open(request)) {
            head(new DataInputStream(socket.getInputStream()));
        }
        await().until(() -> !server.observations().isEmpty());
        assertThat(server.observations().getFirst().request().attribute(Traffic.KEY))
                .contains(Traffic.STREAM);
    }

    private Socket open(String request) throws IOException {
        var socket = new Socket();
        socket.setSoTimeout(60_000);
        socket.connect(server.listener().address());
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String head(DataInputStream in) throws IOException {
        var head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) in.readUnsignedByte());
        }
        return head.toString();
    }

    private Backlog backlog() throws InterruptedException {
        return Objects.requireNonNull(opened.poll(60, TimeUnit.SECONDS));
    }

    private static Offer offer(Backlog backlog, Transport transport, String text) {
        return backlog.offer(new Message("{\"n\":1}", text.getBytes(StandardCharsets.UTF_8), 0).framed(transport));
    }

    private static String frame(DataInputStream in) throws IOException {
        int opcode = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = Math.toIntExact(in.readLong());
        }
        var payload = in.readNBytes(length);
        return switch (opcode) {
            case 0x88 -> "close " + (((payload[0] & 0xFF) << 8) | (payload[1] & 0xFF));
            case 0x89 -> "ping";
            case 0x8A -> "pong " + new String(payload, StandardCharsets.UTF_8);
            default -> new String(payload, StandardCharsets.UTF_8);
        };
    }

    /// With a mask of zeros, which is as good as any.
    private static void send(Socket socket, int opcode, byte... payload) throws IOException {
        var bytes = new byte[6 + payload.length];
        bytes[0] = (byte) (0x80 | opcode);
        bytes[1] = (byte) (0x80 | payload.length);
        System.arraycopy(payload, 0, bytes, 6, payload.length);
        socket.getOutputStream().write(bytes);
    }

    @Test
    void a_websocket_delivers_messages_in_order() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            assertThat(head(in))
                    .startsWith("HTTP/1.1 101")
                    .contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            var backlog = backlog();
            var large = "x".repeat(70_000);
            for (var text : new String[] {"a", "b".repeat(200), large}) {
                assertThat(offer(backlog, Transport.WEB_SOCKET, text)).isEqualTo(Offer.TAKEN);
            }
            assertThat(frame(in)).isEqualTo("a");
            assertThat(frame(in)).isEqualTo("b".repeat(200));
            assertThat(frame(in)).isEqualTo(large);
        }
        await().until(() -> gone.get() > 0);
    }

    @Test
    void a_ping_is_answered_and_a_close_is_echoed() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            send(socket, 1, "ignored".getBytes(StandardCharsets.UTF_8));
            send(socket, 9, "hi".getBytes(StandardCharsets.UTF_8));
            assertThat(frame(in)).isEqualTo("pong hi");
            send(socket, 8, (byte) 0x03, (byte) 0xE8);
            assertThat(frame(in)).isEqualTo("close 1000");
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void pings_without_pause_end_the_connection() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            var pings = new byte[6 * 1_000];
            for (int i = 0; i < pings.length; i += 6) {
                pings[i] = (byte) 0x89;
                pings[i + 1] = (byte) 0x80;
            }
            socket.getOutputStream().write(pings);
            var next = frame(in);
            while (next.equals("pong ")) {
                next = frame(in);
            }
            assertThat(next).isEqualTo("close 1008");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8900", // without mask
                "09800000000000", // a ping in pieces
                "89fe007e00000000", // a ping of 126 bytes
                "c18000000000", // reserved bits
                "838000000000", // no such opcode
                "808000000000", // a continuation of nothing
                "018000000000818000000000", // a message within another
                "81ffffffffffffffffff00000000aa" // a negative length, and more
            })
    void a_frame_that_breaks_the_protocol_ends_the_connection(String frames) throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            socket.getOutputStream().write(HexFormat.of().parseHex(frames));
            assertThat(frame(in)).isEqualTo("close 1002");
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    /// Closing a socket with unread bytes resets the connection: the client could not read the close frame.
    @Test
    void a_client_that_goes_on_sending_reads_why_the_connection_ends() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            socket.getOutputStream().write(HexFormat.of().parseHex("8900"));
            var more = new byte[1 << 20];
            for (int i = 0; i < 16; i++) {
                socket.getOutputStream().write(more);
            }
            assertThat(frame(in)).isEqualTo("close 1002");
            assertThat(in.read()).isEqualTo(-1);
        }
        await().until(() -> gone.get() > 0);
    }

    @Test
    void a_client_that_broke_the_protocol_and_stays_is_disconnected() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            socket.getOutputStream().write(HexFormat.of().parseHex("8900"));
            assertThat(frame(in)).isEqualTo("close 1002");
            await().until(() -> gone.get() > 0);
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void a_message_in_pieces_may_have_pings_between_them() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            for (var frame : new String[] {"01810000000061", "898000000000", "80810000000062", "81810000000063"}) {
                socket.getOutputStream().write(HexFormat.of().parseHex(frame));
            }
            send(socket, 9, (byte) 'x');
            assertThat(frame(in)).isEqualTo("pong ");
            assertThat(frame(in)).isEqualTo("pong x");
        }
    }

    @Test
    void a_listener_that_is_too_slow_gets_a_close_code() throws Exception {
        maxBytes = 2 << 20;
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            var backlog = backlog();
            var large = "x".repeat(1 << 20);
            Offer offer;
            do {
                offer = offer(backlog, Transport.WEB_SOCKET, large);
            } while (offer == Offer.TAKEN);
            assertThat(offer).isEqualTo(Offer.OVERFLOWN);
            assertThat(offer(backlog, Transport.WEB_SOCKET, "late")).isEqualTo(Offer.CLOSED);
            var frame = frame(in);
            while (frame.equals(large)) {
                frame = frame(in);
            }
            assertThat(frame).isEqualTo("close 1013");
        }
    }

    @Test
    void a_silent_websocket_is_dropped() throws Exception {
        keepAlive = Duration.ofMillis(100);
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            assertThat(frame(in)).isEqualTo("ping");
            await().until(() -> gone.get() > 0);
        }
    }

    @Test
    void an_event_stream_begins_at_once_and_shows_that_it_is_alive() throws Exception {
        keepAlive = Duration.ofMillis(100);
        try (var socket = open(LISTEN)) {
            var in = new DataInputStream(socket.getInputStream());
            assertThat(head(in))
                    .startsWith("HTTP/1.1 200")
                    .contains("Content-Type: text/event-stream; charset=UTF-8", "Connection: close");
            assertThat(until(in, ":\n\n")).contains(":\n\n");
            offer(backlog(), Transport.SSE, "{}");
            assertThat(until(in, "data:{}\n\n")).contains("id:{\"n\":1}\nevent:change\ndata:{}\n\n");
        }
    }

    private static String until(DataInputStream in, String end) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            text.append((char) in.readUnsignedByte());
        }
        return text.toString();
    }

    @Test
    void the_end_of_an_event_streams_client_is_noticed_without_an_event() throws Exception {
        try (var socket = open(LISTEN)) {
            head(new DataInputStream(socket.getInputStream()));
            assertThat(gone).hasValue(0);
        }
        await().until(() -> gone.get() > 0);
    }

    @Test
    void a_stop_closes_with_a_handshake_and_does_not_wait_for_listeners() throws Exception {
        try (var webSocket = open(UPGRADE);
                var events = open(LISTEN)) {
            var in = new DataInputStream(webSocket.getInputStream());
            head(in);
            var eventsIn = new DataInputStream(events.getInputStream());
            head(eventsIn);
            var stop = Thread.startVirtualThread(server::close);
            assertThat(frame(in)).isEqualTo("close 1001");
            send(webSocket, 8, (byte) 0x03, (byte) 0xE9);
            assertThat(eventsIn.readAllBytes()).isEmpty();
            assertThat(stop.join(Patience.relative(Duration.ofSeconds(3)))).isTrue();
        }
    }

    /// The client may know of its connection before its I/O thread has come to it.
    @Test
    void a_stop_closes_with_a_handshake_also_to_a_listener_whose_handshake_is_just_being_answered() throws Exception {
        var answered = new CountDownLatch(1);
        var stopping = new CountDownLatch(1);
        server.atEnd(() -> {
            answered.countDown();
            try {
                stopping.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        try (var socket = open(UPGRADE)) {
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
            var stop = Thread.ofPlatform().start(server::close);
            await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
            stopping.countDown();
            var in = new DataInputStream(socket.getInputStream());
            assertThat(head(in)).startsWith("HTTP/1.1 101");
            assertThat(frame(in)).isEqualTo("close 1001");
        }
    }

    @Test
    void an_ending_comes_after_what_waits() throws Exception {
        try (var socket = open(UPGRADE)) {
            var in = new DataInputStream(socket.getInputStream());
            head(in);
            var backlog = backlog();
            offer(backlog, Transport.WEB_SOCKET, "last");
            backlog.end(Ending.REDEFINED);
            assertThat(frame(in)).isEqualTo("last");
            assertThat(frame(in)).isEqualTo("close 1012");
        }
    }

    @Test
    void listeners_are_no_requests_in_flight() throws Exception {
        try (var socket = open(LISTEN)) {
            head(new DataInputStream(socket.getInputStream()));
            await().until(() -> server.listener().inFlight() == 0);
        }
    }
}
