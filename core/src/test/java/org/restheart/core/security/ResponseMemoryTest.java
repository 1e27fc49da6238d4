package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What responses hold while their clients take nothing counts, whatever makes them.
@WithMongo
class ResponseMemoryTest {
    private static final int BUDGET = 24 << 20;

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "core: {max-buffered-responses: " + BUDGET + "}");
        var admin = gateway.as("admin");
        admin.put("/big", "{}");
        assertStatus(201, admin.post("/big", "{\"_id\": \"one\", \"t\": \"" + "x".repeat(14 << 20) + "\"}"));
        admin.put("/big.files", "{}");
        assertStatus(
                201, admin.with("Content-Type", "image/png").sendBytes("PUT", "/big.files/one", new byte[14 << 20]));
    }

    /// The status lines of requests whose clients read nothing further, up to the first refusal.
    private static List<String> unread(String target, int count) throws Exception {
        var answers = new ArrayList<String>();
        try (var sockets = new Opened<Socket>()) {
            for (int i = 0; i < count && !answers.contains("HTTP/1.1 503"); i++) {
                answers.add(status(sockets.add(request(target))));
            }
        }
        return answers;
    }

    private static Socket request(String target) throws IOException {
        var socket = new Socket();
        send(socket, target);
        return socket;
    }

    private static void send(Socket socket, String target) throws IOException {
        socket.setReceiveBufferSize(4_096);
        socket.connect(gateway.address());
        socket.getOutputStream()
                .write(("GET " + target + " HTTP/1.1\r\nHost: test\r\nAuthorization: "
                                + TestClient.basic("admin", "admin-pw") + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/big/one", "/big/one?pretty", "/big?pretty"})
    void documents_count_as_they_are_laid_out(String target) {
        await().atMost(Duration.ofMinutes(2)) // a request waits for what others hold
                .untilAsserted(() ->
                        assertThat(unread(target, 3)).contains("HTTP/1.1 200").contains("HTTP/1.1 503"));
    }

    @Test
    void a_request_waits_for_the_memory_of_another() throws Exception {
        try (var first = request("/big/one");
                var second = new Socket()) {
            assertThat(status(first)).isEqualTo("HTTP/1.1 200");
            send(second, "/big/one");
            await().during(Duration.ofMillis(500))
                    .until(() -> second.getInputStream().available() == 0);
            first.close();
            assertThat(status(second)).isEqualTo("HTTP/1.1 200");
        }
    }

    /// A chunk of each is in memory.
    @ParameterizedTest
    @ValueSource(strings = "/big.files/one/binary")
    void downloads_count(String target) {
        await().atMost(Duration.ofMinutes(2)) // a request waits for what others hold
                .untilAsserted(() -> assertThat(unread(target, 60))
                        .startsWith("HTTP/1.1 200")
                        .contains("HTTP/1.1 503"));
    }
}
