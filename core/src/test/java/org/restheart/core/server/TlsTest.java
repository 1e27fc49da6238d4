package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.ListenerConfig.TlsKeys;
import org.restheart.core.routing.Binding;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.testkit.Patience;
import org.xnio.IoUtils;

class TlsTest {
    @TempDir
    private static Path directory;

    private static final TestKeystore KEYSTORE = TestKeystore.shared();

    private static TestServer https(String password, Binding... bindings) {
        return TestServer.tls(KEYSTORE.listener(password), bindings);
    }

    private static HttpClient client(Version version) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(KEYSTORE.context())
                .version(version)
                .build();
    }

    private static HttpRequest.Builder request(TestServer server, String scheme, String path) {
        int port = server.listener().address().getPort();
        return HttpRequest.newBuilder(URI.create(scheme + "://localhost:" + port + path));
    }

    @Test
    void https_is_served_by_http_2_or_1() throws Exception {
        try (var server = https(
                "changeit",
                blocking("/", request -> Response.json(200, request.connection().scheme())))) {
            for (var version : Version.values()) {
                if (!version.name().startsWith("HTTP_3")) {
                    try (var client = client(version)) {
                        var answer = client.send(request(server, "https", "/").build(), BodyHandlers.ofString());
                        assertThat(answer.version()).isEqualTo(version);
                        assertThat(answer.body()).isEqualTo("https");
                    }
                }
            }
        }
    }

    /// A client may open and close very many in the time in which a handshake must come.
    @Test
    void closed_connections_without_a_handshake_do_not_stay_in_memory() throws Exception {
        try (var server = https("changeit", eager("/", _ -> Response.status(200)))) {
            connectAndClose(server, 10);
            long before = used();
            connectAndClose(server, 3_000);
            await().untilAsserted(() -> assertThat(used() - before).isLessThan(6 << 20));
        }
    }

    private static void connectAndClose(TestServer server, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            new Socket("127.0.0.1", server.listener().address().getPort()).close();
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void large_contents_pass_tls() throws Exception {
        try (var server = https(
                        "changeit",
                        blocking(
                                "/",
                                request -> Response.status(200)
                                        .with(
                                                "text/plain",
                                                Content.Bytes.of(request.body().bytes(), Lease.CONSTANT))));
                var client = client(Version.HTTP_1_1)) {
            var content = "0123456789".repeat(500_000);
            var answer = client.send(
                    request(server, "https", "/")
                            .POST(BodyPublishers.ofString(content))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo(content);
        }
    }

    @Test
    void a_wrong_keystore_password_is_named_at_start() {
        assertThatThrownBy(() -> https("wrong", blocking("/", _ -> Response.status(200))))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("keystore-password");
    }

    @Test
    void a_pem_file_is_told_from_a_keystore() throws Exception {
        var pem = Files.writeString(directory.resolve("cert.pem"), "-----BEGIN CERTIFICATE-----\n");
        var listener = new TestKeystore(pem.toFile()).listener("changeit");
        assertThatThrownBy(() -> TestServer.tls(listener, blocking("/", _ -> Response.status(200))))
                .hasMessageContaining("a PEM file; name it in certificate-file");
    }

    /// As certbot and openssl write them (PKCS #8), and cert-manager (PKCS #1, SEC 1).
    @ParameterizedTest
    @ValueSource(strings = {"RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"})
    void a_certificate_and_its_key_may_be_pem_files(String form) throws Exception {
        var made = form.startsWith("RSA") ? TestKeystore.made("RSA") : KEYSTORE;
        var files = made.pem(Files.createTempDirectory(directory, "pem"), form);
        try (var server = TestServer.tls(files, blocking("/", _ -> Response.status(200)));
                var client = HttpClient.newBuilder()
                        .sslContext(made.context())
                        .version(Version.HTTP_1_1)
                        .build()) {
            assertStatus(200, client.send(request(server, "https", "/").build(), BodyHandlers.ofString()));
        }
    }

    @Test
    void a_key_of_another_certificate_is_named_at_start() throws Exception {
        var mixed = Files.createTempDirectory(directory, "mixed");
        var files = KEYSTORE.pem(mixed, "PRIVATE KEY");
        var other = Files.createDirectory(mixed.resolve("other"));
        TestKeystore.made("EC").pem(other, "PRIVATE KEY");
        Files.copy(other.resolve("key.pem"), mixed.resolve("key.pem"), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> TestServer.tls(files, blocking("/", _ -> Response.status(200))))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("the key is not that of the first certificate");
    }

    @Test
    void refused_files_do_not_replace_those_that_are_watched() throws Exception {
        var folder = Files.createTempDirectory(directory, "used");
        var used = pemFiles(folder);
        TestKeystore.made("EC").pem(folder, "PRIVATE KEY");
        var refused = pemFiles(Files.createTempDirectory(directory, "refused"));
        try (var tls = new Tls(used)) {
            var before = tls.context();
            assertThatThrownBy(() -> tls.use(refused)).isInstanceOf(StartException.class);
            assertThat(tls.isCurrent()).isTrue();
            TestKeystore.made("EC").pem(folder, "PRIVATE KEY");
            await().until(() -> tls.context() != before && tls.isCurrent());
        }
    }

    private static TlsKeys.PemFiles pemFiles(Path folder) {
        return new TlsKeys.PemFiles(
                folder.resolve("cert.pem").toString(), folder.resolve("key.pem").toString());
    }

    @Test
    void http_2_multiplexes_on_one_connection() throws Exception {
        try (var server = https(
                        "changeit",
                        eager(
                                "/io",
                                request -> Response.json(200, request.path().raw())),
                        blocking(
                                "/",
                                request -> Response.json(200, request.path().raw())));
                var client = client(Version.HTTP_2)) {
            client.send(request(server, "https", "/").build(), BodyHandlers.ofString());
            var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
            for (int i = 0; i < 100; i++) {
                var path = (i % 2 == 0 ? "/io/" : "/") + i;
                answers.add(client.sendAsync(request(server, "https", path).build(), BodyHandlers.ofString()));
            }
            for (int i = 0; i < 100; i++) {
                var answer = answers.get(i).get(60, TimeUnit.SECONDS);
                assertThat(answer.version()).isEqualTo(Version.HTTP_2);
                assertThat(answer.body()).isEqualTo((i % 2 == 0 ? "/io/" : "/") + i);
            }
        }
    }

    @Test
    void http_2_carries_large_contents_both_ways() throws Exception {
        try (var server = https(
                        "changeit",
                        blocking(
                                "/",
                                request -> Response.status(200)
                                        .with(
                                                "text/plain",
                                                Content.Bytes.of(request.body().bytes(), Lease.CONSTANT))));
                var client = client(Version.HTTP_2)) {
            client.send(request(server, "https", "/").build(), BodyHandlers.ofString());
            var content = "0123456789".repeat(300_000);
            var answer = client.send(
                    request(server, "https", "/")
                            .POST(BodyPublishers.ofString(content))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(answer.version()).isEqualTo(Version.HTTP_2);
            assertThat(answer.body()).isEqualTo(content);
        }
    }

    @Test
    void a_client_that_cancels_its_http_2_stream_ends_streamed_content() throws Exception {
        var closed = new CountDownLatch(1);
        var endless = new Content.Source() {
            @Override
            public ByteBuffer next() {
                return ByteBuffer.allocate(10_000);
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        try (var server = https(
                        "changeit",
                        blocking("/", _ -> Response.status(200)),
                        blocking(
                                "/endless",
                                _ -> Response.status(200)
                                        .with("text/plain", new Content.Streamed(endless, 0, Lease.CONSTANT))));
                var client = client(Version.HTTP_2)) {
            client.send(request(server, "https", "/").build(), BodyHandlers.ofString());
            var answer = client.send(request(server, "https", "/endless").build(), BodyHandlers.ofInputStream());
            assertThat(answer.version()).isEqualTo(Version.HTTP_2);
            try (var content = answer.body()) {
                assertThat(content.readNBytes(100_000)).hasSize(100_000);
            }
            assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertStatus(200, client.send(request(server, "https", "/").build(), BodyHandlers.ofString()));
        }
    }

    /// The first message of a handshake, which anybody can send again and again.
    private static byte[] clientHello() throws Exception {
        var engine = KEYSTORE.context().createSSLEngine();
        engine.setUseClientMode(true);
        engine.beginHandshake();
        var hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    /// The connection before so many others: its client has waited, so that the first message comes by itself.
    private static Socket late(Queue<Socket> open, int others) {
        return open.stream().skip(open.size() - others).findFirst().orElseThrow();
    }

    /// How long three connections of another address take.
    private static Duration timeOfOthers(InetSocketAddress address) throws Exception {
        long began = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            try (var socket = (SSLSocket) KEYSTORE.context().getSocketFactory().createSocket()) {
                socket.bind(new InetSocketAddress("127.0.0.2", 0));
                socket.setSoTimeout(60_000);
                socket.connect(address, 60_000);
                socket.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().readNBytes(12))
                        .asString(StandardCharsets.US_ASCII)
                        .isEqualTo("HTTP/1.1 200");
            }
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void an_address_that_asks_for_many_handshakes_leaves_time_to_others() throws Exception {
        var hello = clientHello();
        var running = new AtomicBoolean(true);
        var sent = new AtomicInteger();
        try (var server = TestServer.tls(
                KEYSTORE.listener("changeit") + "\ncore: {io-threads: 1}", eager("/", _ -> Response.status(200)))) {
            var address = server.listener().address();
            var alone = timeOfOthers(address);
            var flood = Thread.ofPlatform().start(() -> {
                Queue<Socket> open = new ArrayDeque<>();
                while (running.get()) {
                    try {
                        var socket = new Socket();
                        open.add(socket);
                        socket.bind(new InetSocketAddress("127.0.0.1", 0));
                        socket.connect(address, 1_000);
                        if (open.size() > 20) {
                            late(open, 20).getOutputStream().write(hello);
                            sent.incrementAndGet();
                        }
                        if (open.size() > 400) {
                            open.remove().close();
                        }
                        TimeUnit.MILLISECONDS.sleep(1); // about as many as one thread can compute
                    } catch (IOException _) { // refused, or not accepted in time
                        Thread.onSpinWait();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                open.forEach(IoUtils::safeClose);
            });
            try {
                await().until(() -> sent.get() > 1_000); // all that are open wait
                assertThat(timeOfOthers(address))
                        .isLessThan(Patience.relative(Duration.ofSeconds(4).plus(alone.multipliedBy(4))));
            } finally {
                running.set(false);
                flood.join();
            }
        }
    }

    @Test
    void clients_do_not_renegotiate() throws Exception {
        try (var server = https("changeit", eager("/", _ -> Response.status(200)))) {
            try (var socket = (SSLSocket) KEYSTORE.context().getSocketFactory().createSocket()) {
                socket.setSoTimeout(60_000);
                socket.connect(server.listener().address());
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                socket.startHandshake();
                var ask = "GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
                socket.getOutputStream().write(ask);
                assertThat(socket.getInputStream().readNBytes(12)).hasSize(12);
                assertThatThrownBy(() -> {
                            for (int i = 0; i < 3; i++) {
                                socket.startHandshake();
                                socket.getOutputStream().write(ask);
                                assertThat(socket.getInputStream().readNBytes(100))
                                        .hasSize(100);
                            }
                        })
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(SocketTimeoutException.class);
            }
        }
    }
}
