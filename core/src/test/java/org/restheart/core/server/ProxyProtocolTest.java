package org.restheart.core.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.GatewayConfig;
import org.restheart.embedded.FreePort;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Xnio;

/// Connections of proxies that begin with a header of the PROXY protocol.
class ProxyProtocolTest {
    private static final String PING = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");

    @AutoClose
    private static Gateway plain;

    @AutoClose
    private static Gateway encrypted;

    @BeforeAll
    static void start() {
        plain = start("http-listener: {host: 127.0.0.1, port: 0, proxy-protocol: true}", "127.0.0.1");
        encrypted = start("""
                http-listener: {enabled: false}
                https-listener: {enabled: true, host: 127.0.0.1, port: 0, proxy-protocol: true, keystore-path: '%s',
                  keystore-password: changeit, certificate-password: changeit}
                """.formatted(TestKeystore.shared().file()), "127.0.0.1");
    }

    private static Gateway start(String listener, String trusted) {
        return Gateway.start(GatewayConfig.parse(listener + """

                core: {trusted-proxies: ['%s']}
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                rateLimits: {enabled: true, address-requests-per-minute: 1, address-burst: 1, exempt-paths: [/ping]}
                """.formatted(trusted)));
    }

    /// @param command 0 for LOCAL, 1 for PROXY
    private static byte[] binary(int command, int family, byte[] addresses, int more) {
        return ByteBuffer.allocate(16 + addresses.length + more)
                .put(SIGNATURE)
                .put((byte) (0x20 | command))
                .put((byte) family)
                .putShort((short) (addresses.length + more))
                .put(addresses)
                .array();
    }

    private static byte[] addresses(String client) {
        var from = InetAddress.ofLiteral(client).getAddress();
        return ByteBuffer.allocate(2 * from.length + 4)
                .put(from)
                .put(from)
                .putShort((short) 40_000)
                .putShort((short) 443)
                .array();
    }

    private static byte[] text(String header) {
        return (header + "\r\n").getBytes(US_ASCII);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Case(String client, byte[] header) {
        @Override
        public String toString() {
            return client + " " + header.length;
        }
    }

    static Stream<Case> headers() {
        return Stream.of(
                new Case("203.0.113.7", text("PROXY TCP4 203.0.113.7 198.51.100.1 40000 443")),
                new Case("2001:db8:0:0:0:0:0:7", text("PROXY TCP6 2001:db8::7 2001:db8::1 65535 443")),
                new Case("203.0.113.7", binary(1, 0x11, addresses("203.0.113.7"), 0)),
                new Case("203.0.113.7", binary(1, 0x11, addresses("203.0.113.7"), 2_000)),
                new Case("203.0.113.7", binary(1, 0x12, addresses("203.0.113.7"), 0)),
                new Case("2001:db8:0:0:0:0:0:7", binary(1, 0x21, addresses("2001:db8::7"), 5)),
                new Case("0.0.0.0", text("PROXY UNKNOWN")),
                new Case("0.0.0.0", text("PROXY UNKNOWN ffff::1 ffff::2 65535 65535")),
                new Case("0.0.0.0", binary(1, 0, new byte[0], 0)),
                new Case("0.0.0.0", binary(1, 0x31, new byte[216], 0)),
                new Case("127.0.0.1", binary(0, 0, new byte[0], 0)));
    }

    private static String response(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        var socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static byte[] joined(byte[] header, String request) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(header);
        all.writeBytes(request.getBytes(US_ASCII));
        return all.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("headers")
    void the_client_is_whom_the_header_names(Case sent) throws Exception {
        try (var socket = connect(plain.address())) {
            socket.getOutputStream().write(joined(sent.header, PING));
            assertThat(response(socket)).startsWith("HTTP/1.1 200").contains("\"" + sent.client + "\"");
        }
    }

    @ParameterizedTest
    @MethodSource("headers")
    void a_header_in_pieces_is_the_same(Case sent) throws Exception {
        try (var socket = connect(plain.address())) {
            for (int i = 0; i < sent.header.length; i += Math.max(1, sent.header.length / 60)) {
                socket.getOutputStream()
                        .write(Arrays.copyOfRange(
                                sent.header,
                                i,
                                Math.min(sent.header.length, i + Math.max(1, sent.header.length / 60))));
            }
            socket.getOutputStream().write(PING.getBytes(US_ASCII));
            assertThat(response(socket)).startsWith("HTTP/1.1 200").contains("\"" + sent.client + "\"");
        }
    }

    @ParameterizedTest
    @MethodSource("headers")
    void tls_begins_behind_the_header(Case sent) throws Exception {
        try (var socket = connect(encrypted.address())) {
            socket.getOutputStream().write(sent.header);
            var context = TestKeystore.shared().context();
            try (var tls = (SSLSocket) context.getSocketFactory().createSocket(socket, "localhost", 443, true)) {
                tls.getOutputStream().write(PING.getBytes(US_ASCII));
                assertThat(response(tls)).startsWith("HTTP/1.1 200").contains("\"" + sent.client + "\"");
            }
        }
    }

    /// Closed without a response, at once or when the time for the header is over.
    private static void assertClosed(InetSocketAddress address, byte[] sent) throws IOException {
        try (var socket = connect(address)) {
            socket.getOutputStream().write(sent);
            assertThat(response(socket)).isEmpty();
        } catch (SocketException _) {
            // with bytes that were not read
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PING,
                "PROXY TCP4 203.0.113.7 198.51.100.1 40000\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 40000 443 5\r\n",
                "PROXY TCP4 203.0.113.700 198.51.100.1 40000 443\r\n",
                "PROXY TCP4 example.com 198.51.100.1 40000 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 70000 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 -1 443\r\n",
                "PROXY UDP4 203.0.113.7 198.51.100.1 40000 443\r\n",
                "PROXY  TCP4 203.0.113.7 198.51.100.1 40000 443\r\n",
                "proxy TCP4 203.0.113.7 198.51.100.1 40000 443\r\n",
                "PROXY UNKNOWNfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 40000 443\nGET /ping HTTP/1.1\r\n"
            })
    void whatever_is_no_header_ends_the_connection(String sent) throws Exception {
        assertClosed(plain.address(), joined(new byte[0], sent + PING));
    }

    @Test
    void so_do_binary_headers_that_are_not_valid() throws Exception {
        assertClosed(plain.address(), joined(binary(2, 0x11, addresses("203.0.113.7"), 0), PING));
        assertClosed(plain.address(), joined(binary(0x11, 0x11, addresses("203.0.113.7"), 0), PING));
        assertClosed(plain.address(), joined(binary(1, 0x11, new byte[11], 0), PING));
        assertClosed(plain.address(), joined(binary(1, 0x21, new byte[35], 0), PING));
        assertClosed(plain.address(), joined(binary(1, 0x11, addresses("203.0.113.7"), 10_000), PING));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PROXY ", "PROXY TCP4 203.0.113.7"})
    void a_header_that_does_not_come_ends_the_connection(String begin) throws Exception {
        var worker = Xnio.getInstance().createWorker(OptionMap.EMPTY);
        try (var server = worker.createStreamConnectionServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ChannelListeners.openListenerAdapter(
                        accepted -> ProxyProtocol.receive(accepted, IoUtils::safeClose, Duration.ofMillis(50))),
                OptionMap.EMPTY)) {
            server.resumeAccepts();
            assertClosed(server.getLocalAddress(InetSocketAddress.class), begin.getBytes(US_ASCII));
        } finally {
            worker.shutdown();
        }
    }

    @Test
    void peers_that_are_no_proxies_are_not_heard() throws Exception {
        try (var gateway = start("http-listener: {host: 127.0.0.1, port: 0, proxy-protocol: true}", "192.0.2.1")) {
            assertClosed(gateway.address(), joined(text("PROXY TCP4 203.0.113.7 198.51.100.1 40000 443"), PING));
            assertClosed(gateway.address(), PING.getBytes(US_ASCII));
        }
    }

    /// What the client itself says of where it comes from is not believed.
    @ParameterizedTest
    @ValueSource(
            strings = {"TCP4 203.0.113.20 198.51.100.1 4000 443", "TCP4 203.0.113.21 198.51.100.1 4000 443", "UNKNOWN"})
    void requests_are_counted_by_the_address_of_the_header(String client) throws Exception {
        assertThat(status(client, "")).isEqualTo("403");
        assertThat(status(client, "X-Forwarded-For: 203.0.113.99\r\n")).isEqualTo("429");
    }

    private static String status(String client, String field) throws IOException {
        try (var socket = connect(plain.address())) {
            var request = "GET /metrics HTTP/1.1\r\nHost: a\r\n" + field + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(joined(text("PROXY " + client), request));
            return response(socket).split(" ", 3)[1];
        }
    }

    /// Such as for the next request, a connection has one header only.
    @Test
    void further_requests_have_no_header() throws Exception {
        try (var socket = connect(plain.address())) {
            var first = PING.replace("Connection: close\r\n", "");
            socket.getOutputStream().write(joined(text("PROXY TCP4 203.0.113.7 198.51.100.1 4000 443"), first + PING));
            assertThat(response(socket).split("\"203.0.113.7\"", -1)).hasSize(3);
        }
    }

    /// From another address of this machine, as whose client HAProxy's own address is told.
    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options crc32c"})
    void haproxy_tells_the_address(String option, @TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(HAPROXY), "there is no haproxy here");
        int port = FreePort.find();
        var file = Files.writeString(folder.resolve("haproxy.cfg"), """
            defaults
              mode tcp
              timeout connect 60s
              timeout client 60s
              timeout server 60s
            listen tcp
              bind 127.0.0.1:%d
              server gateway 127.0.0.1:%d %s
            """.formatted(
                        port, plain.address().getPort(), option));
        var haproxy = new ProcessBuilder(HAPROXY.toString(), "-db", "-f", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        try {
            var address = new InetSocketAddress("127.0.0.1", port);
            await().ignoreExceptions().untilAsserted(() -> {
                try (var client = new RawClient(address, "127.0.0.77")) {
                    client.request("GET /ping", "Connection: close");
                    assertThat(client.answer().text()).contains("\"127.0.0.77\"");
                }
            });
        } finally {
            haproxy.destroy();
            haproxy.waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bruteForceAttackGuard: {trust-x-forwarded-for: true}"})
    void it_takes_proxies_to_trust(String more) {
        assertThatThrownBy(() -> GatewayConfig.parse("http-listener: {proxy-protocol: true}\n" + more))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("trusted-proxies");
    }
}
