package org.restheart.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Transactions and sessions of clients are bounded, of one account and together.
@WithMongo
class SessionBoundsTest {
    private static final String KEYS = "apiKeyAuthMechanism: {enabled: true, keys-db: $db}\n";

    @AutoClose
    private static TestGateway gateway;

    private final List<Runnable> ends = new ArrayList<>();

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.startWithData(mongo, "max-transactions: 7, max-transactions-per-account: 3,", KEYS);
        gateway.permit("{_id: 1, roles: ['editor', 'viewer'],"
                + " predicate: \"path-prefix('/books') or path-prefix('/_sessions')\"}");
        gateway.insert("books", "{_id: '1'}");
    }

    @AfterEach
    void end() {
        ends.forEach(Runnable::run);
    }

    private HttpResponse<String> begin(TestClient client, UUID session) {
        ends.add(() -> client.send("DELETE", "/_sessions/" + session, ""));
        return client.send("POST", "/_sessions/" + session + "/_txns", "");
    }

    private UUID begun(TestClient client) {
        var session = UUID.randomUUID();
        var response = begin(client, session);
        assertStatus(201, response);
        return session;
    }

    private void assertRefused(TestClient client, int status) {
        var response = begin(client, UUID.randomUUID());
        assertStatus(status, response);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void an_account_has_so_many_transactions_in_progress_and_others_have_theirs() {
        var ada = gateway.as("ada");
        var first = begun(ada);
        var second = begun(ada);
        var third = begun(ada);
        assertRefused(ada, 429);
        begun(gateway.as("bob"));
        assertStatus(200, ada.send("PATCH", "/_sessions/" + first + "/_txns/1", ""));
        assertStatus(201, begin(ada, first));
        assertRefused(ada, 429);
        assertStatus(204, ada.send("DELETE", "/_sessions/" + second + "/_txns/1", ""));
        begun(ada);
        assertRefused(ada, 429);
        assertStatus(200, ada.send("DELETE", "/_sessions/" + third, ""));
        begun(ada);
    }

    private static TestClient keyOf(TestGateway other, String name) {
        var made = other.as(name).post("/_apikeys", "{\"days\": 7}");
        assertStatus(201, made);
        return other.anonymous()
                .with(
                        "api-key",
                        BsonDocument.parse(made.body()).getString("key").getValue());
    }

    @Test
    void the_keys_of_an_account_have_no_transactions_beside_its_own() {
        var ada = gateway.as("ada");
        var session = begun(ada);
        var key = keyOf(gateway, "ada");
        begun(key);
        begun(keyOf(gateway, "ada"));
        assertRefused(keyOf(gateway, "ada"), 429);
        assertRefused(key, 429);
        assertRefused(ada, 429);
        begun(gateway.as("bob"));
        begun(keyOf(gateway, "bob"));
        assertThat(key.get("/_sessions/" + session + "/_txns").body())
                .as("the session of the password")
                .contains("null");
        assertThat(key.send("PATCH", "/_sessions/" + session + "/_txns/1", "").statusCode())
                .as("the session of the password")
                .isEqualTo(400);
        assertStatus(200, ada.send("PATCH", "/_sessions/" + session + "/_txns/1", ""));
    }

    /// MongoDB may answer a repeated commit before the next transaction begins, and the gateway notice it afterwards.
    @Test
    void repeated_commits_do_not_hide_the_next_transaction_of_the_session() throws Exception {
        var ada = gateway.as("ada");
        begun(ada);
        begun(ada);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 12; i++) {
                var session = begun(ada);
                var first = "/_sessions/" + session + "/_txns/1";
                assertStatus(200, ada.send("PATCH", first, ""));
                var repeated = IntStream.range(0, 10)
                        .mapToObj(_ -> threads.submit(() -> ada.send("PATCH", first, "")))
                        .toList();
                assertStatus(201, begin(ada, session));
                for (var commit : repeated) {
                    assertThat(commit.get().statusCode()).isIn(200, 400);
                }
                assertRefused(ada, 429);
                assertStatus(200, ada.send("DELETE", "/_sessions/" + session, ""));
            }
        }
    }

    @Test
    void all_accounts_together_have_so_many() {
        begun(gateway.as("ada"));
        begun(gateway.as("ada"));
        begun(gateway.as("bob"));
        begun(gateway.as("bob"));
        begun(gateway.as("admin"));
        assertRefused(gateway.as("ada"), 503);
        assertRefused(gateway.as("bob"), 503);
    }

    @Test
    void a_transaction_that_ended_by_itself_is_not_counted() {
        var ada = gateway.as("ada");
        begun(ada);
        begun(ada);
        var failed = begun(ada);
        assertStatus(409, ada.post("/books?sid=" + failed + "&txn=1", "{\"_id\": \"1\"}"));
        Awaitility.await().until(() -> begin(ada, UUID.randomUUID()).statusCode() == 201);
    }

    @Test
    void an_account_uses_so_many_sessions(TestMongo mongo) {
        try (var other = TestGateway.startWithData(mongo, "max-sessions: 60,", KEYS)) {
            other.permit("{_id: 1, roles: ['editor', 'viewer'], predicate: \"path-prefix('/books')\"}");
            other.insert("books", "{_id: '1'}");
            var ada = other.as("ada");
            var first = UUID.randomUUID();
            assertStatus(400, ada.get("/books?txn=1&sid=" + first));
            var last = ada.get("/books");
            for (int i = 0; i < 40 && last.statusCode() != 429; i++) {
                last = ada.get("/books?txn=1&sid=" + UUID.randomUUID());
            }
            assertStatus(429, last);
            assertThat(last.headers().firstValue("Retry-After")).isPresent();
            assertStatus(429, keyOf(other, "ada").get("/books?txn=1&sid=" + UUID.randomUUID()));
            assertStatus(400, ada.get("/books?txn=1&sid=" + first));
            assertStatus(400, other.as("bob").get("/books?txn=1&sid=" + first));
        }
    }

    @Test
    void a_rehearsal_whose_lines_have_not_arrived_holds_no_transaction() throws IOException {
        String[] head = {
            "Authorization: Basic " + Base64.getEncoder().encodeToString("ada:ada-pw".getBytes(UTF_8)),
            "Content-Type: application/x-ndjson",
            "Content-Length: 10",
            "Expect: 100-continue",
            "Prefer: tx=rollback"
        };
        try (var slow = new Opened<RawClient>()) {
            for (int i = 0; i < 3; i++) {
                var client = slow.add(new RawClient(gateway.address()));
                assertThat(client.request("POST /books", head).answer().status())
                        .isEqualTo(100);
            }
            assertStatus(200, gateway.as("ada").with("Prefer", "tx=rollback").patch("/books/1", "{\"n\": 1}"));
            for (var client : slow.all()) {
                assertThat(client.send("{\"n\": 123}").answer().status()).isEqualTo(200);
            }
        }
    }
}
