package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Gateway;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The plugin `webhooks`, as a jar that sees what plugins see.
@WithMongo
class WebhooksTest {
    private static final String SECRET = "a secret of the two that nobody guesses";
    private static final byte[] KEY = "a key that is as long as others".getBytes(StandardCharsets.UTF_8);
    private static final String ENCODED = "whsec_" + Base64.getEncoder().encodeToString(KEY);
    private static final int LARGE = 9 << 20;

    private final TestMongo mongo;
    private final PluginFolder plugins;
    private final String orders;
    private final List<BsonDocument> taken = new CopyOnWriteArrayList<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final List<String> forged = new CopyOnWriteArrayList<>();
    private final List<BsonDocument> refused = new CopyOnWriteArrayList<>();
    private final Set<Object> leases = ConcurrentHashMap.newKeySet();
    private final HttpServer target;

    WebhooksTest(TestMongo mongo, @TempDir Path directory) throws IOException {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
        this.orders = "/" + mongo.databaseName() + "/orders";
        this.target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        List.of(states(), failures(), stored()).forEach(MongoCollection::drop);
        mongo.database().createCollection("orders");
        var sources = Path.of("../webhooks/src/main");
        plugins.project("webhooks.jar", sources.resolve("java"), sources.resolve("resources"));
        target.createContext("/", this::receive);
        target.start();
    }

    @AfterEach
    void stop() {
        target.stop(0);
    }

    /// Takes a change when it is sent for the second time, slowly, and those of the document `bad` never.
    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var headers = exchange.getRequestHeaders();
            var id = headers.getFirst("webhook-id");
            var signed = id + "." + headers.getFirst("webhook-timestamp") + "." + body;
            if (!headers.getFirst("webhook-signature").equals("v1," + signature(signed, exchange))) {
                forged.add(body);
            }
            var change = BsonDocument.parse(body);
            var key = change.getDocument("key").getString("_id").getValue();
            boolean isTaken = !key.equals("bad") && !seen.add(id);
            (isTaken ? taken : refused).add(change);
            if (key.startsWith("slow")) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                leases.add(Objects.requireNonNull(states().find().first()).get("until"));
            }
            stored().updateOne(Filters.and(Filters.eq(key), Filters.lt("attempts", 3)), Updates.inc("attempts", 1));
            exchange.sendResponseHeaders(isTaken ? 204 : 500, -1);
        }
    }

    private static String signature(String text, HttpExchange exchange) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            boolean isEncoded = exchange.getRequestURI().getPath().equals("/encoded");
            mac.init(new SecretKeySpec(isEncoded ? KEY : SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private MongoCollection<Document> states() {
        return mongo.database().getCollection("_webhooks");
    }

    private MongoCollection<Document> failures() {
        return mongo.database().getCollection("_webhookFailures");
    }

    private MongoCollection<Document> stored() {
        return mongo.database().getCollection("orders");
    }

    /// With hooks of these names that follow.
    private Gateway gateway(String... hooks) {
        var gateway = starting(hooks);
        await().until(() -> states().countDocuments(Document.parse("{owner: {$exists: true}, token: {$exists: true}}"))
                == hooks.length);
        return gateway;
    }

    private Gateway starting(String... hooks) {
        var blocks = new StringBuilder();
        for (var hook : hooks) {
            blocks.append("""
              %1$s: {collection: %2$s/orders, url: 'http://127.0.0.1:%3$d/%1$s', secret: %4$s, attempts: 3, pause-ms: 10, document: true, parallel: 1}
            """.formatted(
                            hook,
                            mongo.databaseName(),
                            target.getAddress().getPort(),
                            hook.equals("encoded") ? ENCODED : SECRET));
        }
        return plugins.start(mongo, """
            webhooks:
              db: %s
              lease-ms: 1000
              hooks: [%s]
            """.formatted(mongo.databaseName(), String.join(", ", hooks)) + blocks.toString());
    }

    private List<String> takenOf(String id) {
        return taken.stream()
                .filter(change ->
                        change.getDocument("key").getString("_id").getValue().equals(id))
                .map(change -> change.getString("type").getValue()
                        + change.getDocument("document", new BsonDocument()).get("n"))
                .toList();
    }

    @Test
    void changes_are_sent_signed_and_in_order_until_they_are_taken_also_those_of_a_time_without_gateway() {
        try (var lines = new LogLines()) {
            gateway("orders").close();
            assertThat(lines.all()).noneMatch(line -> line.startsWith("ERROR"));
        }
        try (var gateway = gateway("orders")) {
            var admin = TestClient.of(gateway.address()).as("admin", "secret");
            assertStatus(201, admin.post(orders, "{\"_id\": \"a\", \"n\": 1}"));
            assertStatus(201, admin.post(orders, "{\"_id\": \"bad\"}"));
            assertStatus(200, admin.put(orders + "/a", "{\"n\": 2}"));
            assertStatus(204, admin.delete(orders + "/a"));
            await().until(() -> takenOf("a").size() == 3);
            assertThat(takenOf("a")).element(2).isEqualTo("deletenull");
            assertThat(takenOf("a").getFirst()).startsWith("insert");
            await().until(() -> failures().countDocuments() == 1);
            assertThat(failures().find().first())
                    .containsKey("event")
                    .containsEntry("why", "status 500")
                    .containsEntry("hook", "orders");
        }
        stored().insertOne(new Document("_id", "b").append("n", 3));
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            await().until(() -> !takenOf("b").isEmpty());
        }
        assertThat(forged).isEmpty();
    }

    @Test
    void the_lease_is_prolonged_also_while_many_changes_are_sent_each_of_them_quickly() {
        gateway("orders").close();
        stored().insertMany(IntStream.range(0, 50)
                .mapToObj(i -> new Document("_id", "slow" + i))
                .toList());
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            await().until(() -> taken.size() == 50);
            assertThat(leases).hasSizeGreaterThan(3);
        }
    }

    @Test
    void a_hook_goes_on_after_its_collection_was_dropped() {
        stored().insertOne(new Document("_id", "before"));
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            stored().drop();
            stored().insertOne(new Document("_id", "after"));
            await().until(() -> !takenOf("after").isEmpty());
        }
    }

    @Test
    void large_changes_are_sent_and_kept_without_content_when_they_are_given_up() {
        stored().insertOne(new Document("_id", "a"));
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            stored().updateOne(Filters.eq("a"), Updates.set("text", "x".repeat(LARGE)));
            await().until(() -> !takenOf("a").isEmpty());
            var doubled = "\"".repeat(LARGE / 2); // in JSON
            stored().insertOne(new Document("_id", "bad").append("text", doubled));
            await().until(() -> failures().countDocuments() == 1);
            assertThat(failures().find().first())
                    .containsEntry("type", "insert")
                    .containsEntry("key", new Document("_id", "bad"))
                    .containsEntry("eventAbsent", "it is larger than 8 MiB")
                    .doesNotContainKey("event");
        }
    }

    /// Although the document has changed since.
    @Test
    void what_is_kept_of_a_large_change_is_what_was_sent_last() {
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            stored().insertOne(new Document("_id", "bad").append("text", "x".repeat(1 << 17)));
            await().until(() -> failures().countDocuments() == 1);
            stored().updateOne(Filters.eq("bad"), Updates.set("attempts", 0));
            await().until(() -> failures().countDocuments(Filters.eq("type", "update")) == 1 + 3);
            for (var failure : failures().find(Filters.eq("type", "update"))) {
                assertThat(BsonDocument.parse(failure.getString("event")))
                        .isEqualTo(refused.stream()
                                .filter(change ->
                                        change.getString("id").getValue().equals(failure.get("_id")))
                                .reduce((_, last) -> last)
                                .orElseThrow());
            }
        }
    }

    @Test
    void a_new_hook_may_find_a_large_change_first() {
        var number = new AtomicInteger();
        try (var gateway = starting("orders")) {
            assertThat(gateway.address()).isNotNull();
            await().until(
                            () -> { // while it looks for the first time
                                stored().insertOne(new Document("_id", "a" + number.getAndIncrement())
                                        .append("text", "x".repeat(1 << 17)));
                                return !taken.isEmpty();
                            });
            await().until(() -> !takenOf("a" + (number.get() - 1)).isEmpty());
        }
    }

    @Test
    void changes_of_a_document_after_one_that_was_given_up_are_tried_once() {
        gateway("orders").close();
        stored().insertOne(new Document("_id", "bad"));
        stored().updateOne(Filters.eq("bad"), Updates.set("n", 1));
        stored().updateOne(Filters.eq("bad"), Updates.set("n", 2));
        try (var gateway = gateway("orders")) {
            assertThat(gateway.address()).isNotNull();
            await().until(() -> failures().countDocuments() == 3);
            assertThat(refused).hasSize(3 + 1 + 1);
        }
    }

    @Test
    void hooks_of_one_collection_have_deliveries_failures_and_kinds_of_secrets_of_their_own() {
        try (var gateway = gateway("orders", "encoded")) {
            assertThat(gateway.address()).isNotNull();
            stored().insertOne(new Document("_id", "a"));
            stored().insertOne(new Document("_id", "bad"));
            await().until(() -> failures().countDocuments() == 2 && takenOf("a").size() == 2);
            assertThat(failures().distinct("hook", String.class)).containsExactlyInAnyOrder("orders", "encoded");
            assertThat(taken).extracting(change -> change.get("id")).doesNotHaveDuplicates();
        }
        assertThat(forged).isEmpty();
    }

    @Test
    void settings_that_cannot_be_used_are_named_without_the_secret() {
        assertThatThrownBy(() -> plugins.start(mongo, """
                        webhooks:
                          hooks: [one, two]
                          one: {collection: orders, url: 'ftp://x', secret: tooshort, on: [drop]}
                          two: {collection: shop/orders, url: 'https://ann:hunter2@example.com/', secret: 'whsec_hunter2 hunter2 hunter2 hunter2'}
                        """).close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(
                        "/webhooks/one/collection",
                        "/webhooks/one/url",
                        "/webhooks/one/secret",
                        "/webhooks/one/on",
                        "/webhooks/two/url",
                        "/webhooks/two/secret")
                .hasMessageNotContainingAny("tooshort", "hunter2");
    }
}
