package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Backlog.Offer;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// Many event streams on one connection of HTTP/2 (RFC 9113).
class Http2PushTest {
    private static final int STREAMS = 100;

    private final Map<String, Backlog> backlogs = new ConcurrentHashMap<>();
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    private static final TestKeystore KEYSTORE = TestKeystore.shared();

    private TestServer server = TestServer.of();
    private HttpClient client = HttpClient.newHttpClient();

    private Subscription subscribe(Request request) {
        var backlog = new Backlog(1_000, 4 << 20);
        var n = request.query().first("n").orElseThrow();
        backlogs.put(n, backlog);
        return new Subscription(Transport.SSE, backlog, Duration.ZERO, _ -> {}, () -> gone.add(n));
    }

    /// Afterwards there is a connection of HTTP/2, which all requests use.
    @BeforeEach
    void connect() throws Exception {
        stop();
        server = TestServer.tls(
                KEYSTORE.listener("changeit"),
                TestServer.pushing("/push", this::subscribe),
                TestServer.blocking("/plain", _ -> Response.status(200)));
        client = HttpClient.newBuilder()
                .version(Version.HTTP_2)
                .sslContext(KEYSTORE.context())
                .build();
        var answer = client.send(request("/plain"), BodyHandlers.discarding());
        assertThat(answer.version()).isEqualTo(Version.HTTP_2);
    }

    @AfterEach
    void stop() {
        client.shutdownNow();
        server.close();
    }

    private HttpRequest request(String target) {
        return HttpRequest.newBuilder(URI.create(
                        "https://localhost:" + server.listener().address().getPort() + target))
                .timeout(Duration.ofSeconds(60))
                .build();
    }

    private InputStream open(int n) throws Exception {
        var answer = client.send(request("/push?n=" + n), BodyHandlers.ofInputStream());
        assertStatus(200, answer);
        return answer.body();
    }

    private static String event(InputStream in) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        var line = lines.readLine();
        while (!line.startsWith("data:")) {
            line = lines.readLine();
        }
        return line.substring(5);
    }

    private Offer offer(int n, String text) {
        return backlogs.get("" + n)
                .offer(new Message("1", text.getBytes(StandardCharsets.UTF_8), 0).framed(Transport.SSE));
    }

    @Test
    void a_hundred_event_streams_share_a_connection() throws Exception {
        var streams = new ArrayList<InputStream>();
        for (int n = 0; n < STREAMS; n++) {
            streams.add(open(n));
        }
        for (int n = 0; n < STREAMS; n++) {
            assertThat(offer(n, "event " + n)).isEqualTo(Offer.TAKEN);
        }
        for (int n = 0; n < STREAMS; n++) {
            assertThat(event(streams.get(n))).isEqualTo("event " + n);
        }
    }

    @Test
    void a_stream_that_is_not_read_holds_up_no_other_of_its_connection() throws Exception {
        try (var _ = open(1);
                var read = open(2)) {
            var megabyte = "x".repeat(1 << 20);
            int offered = 0;
            while (offer(1, megabyte) == Offer.TAKEN) {
                assertThat(offer(2, "after " + ++offered)).isEqualTo(Offer.TAKEN);
                assertThat(event(read)).isEqualTo("after " + offered);
            }
            assertThat(offered).isBetween(4, 200);
            await().until(() -> gone.size() == 1); // given up for its slowness
            assertThat(offer(2, "still there")).isEqualTo(Offer.TAKEN);
            assertThat(event(read)).isEqualTo("still there");
        }
    }

    @Test
    void a_client_that_ends_a_stream_is_noticed_and_the_others_go_on() throws Exception {
        try (var other = open(2)) {
            open(1).close();
            await().until(() -> gone.size() == 1);
            offer(2, "still there");
            assertThat(event(other)).isEqualTo("still there");
        }
    }

    @Test
    void a_stream_that_is_reset_while_an_event_waits_for_its_window_is_noticed() throws Exception {
        try (var plain = TestServer.of(TestServer.pushing("/push", this::subscribe));
                var raw = new RawHttp2(plain.listener().address())) {
            raw.get(1, "/push?n=1");
            assertThat(raw.frame().type()).isEqualTo(RawHttp2.HEADERS);
            assertThat(offer(1, "x".repeat(1 << 20))).isEqualTo(Offer.TAKEN);
            for (int window = 0xffff; window > 0; ) {
                window -= raw.frame().payload().length;
            }
            raw.reset(1);
            await().until(() -> gone.contains("1"));
        }
    }

    /// A connection may have as many at once.
    @Test
    void streams_that_were_reset_make_room_for_others() throws Exception {
        try (var plain = TestServer.of(TestServer.pushing("/push", this::subscribe));
                var raw = new RawHttp2(plain.listener().address())) {
            for (int n = 0; n < 2 * STREAMS; n += STREAMS) {
                for (int i = n; i < n + STREAMS; i++) {
                    raw.get(2 * i + 1, "/push?n=" + i);
                    var frame = raw.frame();
                    while (frame.stream() != 2 * i + 1) { // Undertow answers each reset with one
                        frame = raw.frame();
                    }
                    assertThat(frame.type()).isEqualTo(RawHttp2.HEADERS);
                }
                for (int i = n; i < n + STREAMS; i++) {
                    raw.reset(2 * i + 1);
                }
                int all = n + STREAMS;
                await().until(() -> gone.size() == all);
            }
        }
    }

    @Test
    void an_ending_ends_only_its_stream() throws Exception {
        try (var ending = open(1);
                var other = open(2)) {
            backlogs.get("1").end(Ending.REDEFINED);
            assertThat(ending.readAllBytes()).isEmpty();
            offer(2, "still there");
            assertThat(event(other)).isEqualTo("still there");
        }
    }
}
