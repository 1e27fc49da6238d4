package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Decisions that depend on the head of a request do not wait for its content, and content that never arrives does
/// not affect other requests.
@WithMongo
class EarlyRefusalsTest {
    private static final int MIB = 1 << 20;
    private static final String ADMIN = "Authorization: Basic " + encoded("admin:admin-pw");
    private static final String ADA = "Authorization: Basic " + encoded("ada:ada-pw");
    private static final String NO_ACCOUNT = "X-Account: none";
    private static final String JSON = "Content-Type: application/json";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(
                mongo,
                "core: {max-buffered-content: 8388608, max-anonymous-content: 2097152}\n"
                        + "connection-options: {MAX_ENTITY_SIZE: 2097152}\n"
                        + "jwtConfigProvider: {key: " + TokenFixture.KEY + "}\n"
                        + "jwtAuthenticationMechanism: {enabled: true}\njwtTokenManager: {enabled: true}\n"
                        + "oauthAuthorizationService: {enabled: true, login-url: 'https://login.example/in',"
                        + " allowed-redirect-uris: ['https://app.example/cb']}\n"
                        + "oauthClientRegistrationService: {enabled: true}\n"
                        + "apiKeyAuthMechanism: {enabled: true}\n"
                        + "apiKeyRealm: {keys-db: $db, keys-collection: apikeys}\n"
                        + "dataApi: {enabled: true, login: true, app-ids: [app], sessions-db: $db}\n");
        gateway.permit("{_id: 'open', roles: ['$unauthenticated'], predicate: \"path('/open') and method(POST)\"}");
        gateway.permit(
                "{_id: 'kind', roles: ['editor'], predicate: \"path('/kinds') and bson-request-contains(kind)\"}");
        gateway.permit("{_id: 'others', roles: ['viewer'], predicate: \"path('/kinds')\"}");
        gateway.permit("{_id: 'many', roles: ['editor', 'viewer'], predicate: \"path('/many')\"}");
        gateway.insert("many", "{_id: 'a'}");
        gateway.insert("open", "{_id: 'a'}");
        gateway.insert("kinds", "{_id: 'a'}");
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static RawClient connect() throws IOException {
        return new RawClient(gateway.address());
    }

    /// The status of a request whose content never comes.
    private static int status(String methodAndTarget, String... headers) throws IOException {
        try (var client = connect()) {
            return client.request(methodAndTarget, headers).answer().status();
        }
    }

    @Test
    void refusals_do_not_wait_for_content() throws IOException {
        for (var length :
                new String[] {"Content-Length: 1000", "Content-Length: 1000000", "Transfer-Encoding: chunked"}) {
            assertThat(status("POST /kinds", JSON, length))
                    .as("anonymous, " + length)
                    .isEqualTo(401);
            assertThat(status("POST /kinds", JSON, length, "Authorization: Basic " + encoded("ada:wrong")))
                    .isEqualTo(401);
            assertThat(status("POST /acl", JSON, length, ADA)).isEqualTo(403);
            assertThat(status("POST /missing", JSON, length, ADMIN)).isEqualTo(404);
            assertThat(status("POST /kinds/a", JSON, length, ADMIN)).isEqualTo(405);
            assertThat(status("POST /kinds", "Content-Type: image/png", length, ADMIN))
                    .isEqualTo(415);
        }
        assertThat(status("POST /kinds", JSON, "Content-Length: 3000000", ADMIN))
                .isEqualTo(413);
        assertThat(status("POST /kinds", JSON, "Content-Length: 3000000")).isEqualTo(401);
        assertThat(status("POST /kinds", JSON, "Content-Length: 30", "Expect: 100-continue"))
                .isEqualTo(401);
    }

    @Test
    void rules_about_content_are_asked_when_it_is_there() throws Exception {
        for (var kind : new String[] {"kind", "other"}) {
            try (var client = connect()) {
                client.request("POST /kinds", JSON, "Content-Length: 12", ADA).send("{\"" + kind.substring(0, 1));
                client.pause(Duration.ofMillis(50)).send((kind.substring(1) + "\":1}      ").substring(0, 9));
                assertThat(client.answer().status()).isEqualTo(kind.equals("kind") ? 201 : 403);
            }
        }
    }

    /// Addresses have 2 MiB together.
    @Test
    void content_that_a_rule_reads_counts_for_the_account() throws Exception {
        try (var clients = new Opened<RawClient>()) {
            var content = "{\"kind\":1,\"x\":\"" + "x".repeat(MIB * 5 / 4) + "\"";
            for (int i = 0; i < 2; i++) {
                clients.add(connect())
                        .request("POST /kinds", JSON, "Content-Length: " + (content.length() + 1), ADA)
                        .send(content);
            }
            for (var client : clients.all()) {
                assertThat(client.send("}").answer().status()).isEqualTo(201);
            }
        }
    }

    /// Each sends nearly all content of several requests, again and again, as far as it is given memory for.
    @ParameterizedTest
    @CsvSource({"/kinds, 2", "/many, 2", "/open, 1"})
    void several_callers_whose_content_does_not_arrive_leave_memory_to_others(String path, int mib) throws Exception {
        boolean isOpen = path.equals("/open");
        var refusals = new AtomicInteger();
        var isOver = new AtomicBoolean();
        var senders = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++) {
            var address = i % 2 == 0 ? "127.0.0.4" : "127.0.0.5";
            var account = isOpen ? NO_ACCOUNT : i % 2 == 0 ? ADMIN : ADA;
            senders.add(Thread.ofVirtual().start(() -> {
                while (!isOver.get()) {
                    try (var client = new RawClient(gateway.address(), address)) {
                        client.request("POST " + path, JSON, "Content-Length: " + mib * MIB, account)
                                .send(new byte[mib * MIB - 2_000]);
                        await().until(() -> isOver.get() || client.isAnswered());
                    } catch (IOException _) {
                        // refused already
                    }
                    refusals.incrementAndGet();
                }
            }));
        }
        try {
            await().until(() -> refusals.get() >= 100);
            for (int length : List.of(9_000, isOpen ? 100_000 : 400_000)) {
                var content = "{\"kind\":1,\"x\":\"" + "x".repeat(length) + "\"}";
                if (isOpen) {
                    try (var client = new RawClient(gateway.address(), "127.0.0.6")) {
                        client.request("POST /open", JSON, "Content-Length: " + content.length())
                                .send(content);
                        assertThat(client.answer().status()).isEqualTo(201);
                    }
                } else {
                    assertStatus(201, gateway.as("bob").post(path, content));
                }
            }
        } finally {
            isOver.set(true);
            for (var sender : senders) {
                sender.join();
            }
        }
    }

    /// Services that take little content, some of them before they know who sends it.
    @ParameterizedTest
    @CsvSource({
        "POST /token, application/x-www-form-urlencoded, 70000, 400",
        "POST /authorize?response_type=code, application/x-www-form-urlencoded, 70000, 400",
        "POST /register, application/json, 70000, 413",
        "POST /api/client/v2.0/app/app/auth/providers/local-userpass/login, application/json, 40000, 413",
        "POST /_apikeys, application/json, 70000, 413",
        "POST /_access/check, application/json, 1100000, 413"
    })
    void content_beyond_the_bound_of_a_service_is_not_waited_for(String request, String type, int bytes, int status)
            throws IOException {
        try (var client = connect()) {
            client.request(
                            request,
                            "Content-Type: " + type,
                            "Transfer-Encoding: chunked",
                            request.contains("/_") ? ADMIN : NO_ACCOUNT)
                    .send(Integer.toHexString(2 * MIB) + "\r\n")
                    .send("x".repeat(bytes));
            assertThat(client.answer().status()).isEqualTo(status);
        }
    }

    @Test
    void anonymous_content_that_does_not_arrive_takes_no_memory_from_others() throws Exception {
        try (var silent = new Opened<RawClient>()) {
            for (int i = 0; i < 70; i++) {
                var path = i % 2 == 0 ? "/open" : "/kinds";
                var client = silent.add(new RawClient(gateway.address(), i % 4 == 0 ? "127.0.0.3" : "127.0.0.1"));
                try {
                    client.request("POST " + path, JSON, "Content-Length: " + 2 * MIB)
                            .send(new byte[MIB * 9 / 10]);
                } catch (IOException _) {
                    // refused already
                }
            }
            for (int i = 0; i < 5; i++) {
                var content = "{\"kind\":1,\"x\":\"" + "x".repeat(MIB) + "\"}";
                assertStatus(201, gateway.as("admin").post("/kinds", content));
                assertStatus(201, gateway.as("ada").post("/kinds", "{\"kind\":1}"));
                try (var client = new RawClient(gateway.address(), "127.0.0.2")) {
                    client.request("POST /open", JSON, "Content-Length: 2").send("{}");
                    assertThat(client.answer().status()).isEqualTo(201);
                }
            }
        }
    }
}
