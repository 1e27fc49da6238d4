package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Gateway;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The plugin `webhooks`, as a jar that sees what plugins see.
@WithMongo
class WebhooksTest {
    private static final String SECRET = "a secret of the two that nobody guesses";

    private final TestMongo mongo;
    private final PluginFolder plugins;
    private final String orders;
    private final List<BsonDocument> taken = new CopyOnWriteArrayList<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final List<String> forged = new CopyOnWriteArrayList<>();
    private final HttpServer target;

    WebhooksTest(TestMongo mongo, @TempDir Path directory) throws IOException {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
        this.orders = "/" + mongo.databaseName() + "/orders";
        this.target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        var sources = Path.of("../webhooks/src/main");
        plugins.project("webhooks.jar", sources.resolve("java"), sources.resolve("resources"));
        target.createContext("/", this::receive);
        target.start();
    }

    @AfterEach
    void stop() {
        target.stop(0);
    }

    /// Takes a change when it is sent for the second time, and those of the document `bad` never.
    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var headers = exchange.getRequestHeaders();
            var id = headers.getFirst("webhook-id");
            var signed = id + "." + headers.getFirst("webhook-timestamp") + "." + body;
            if (!headers.getFirst("webhook-signature").equals("v1," + signature(signed))) {
                forged.add(body);
            }
            var change = BsonDocument.parse(body);
            boolean isTaken = !body.contains("\"bad\"") && !seen.add(id);
            if (isTaken) {
                taken.add(change);
            }
            exchange.sendResponseHeaders(isTaken ? 204 : 500, -1);
        }
    }

    private static String signature(String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Gateway gateway() {
        var gateway = plugins.start(
                mongo, """
            webhooks:
              db: %1$s
              hooks: [orders]
              orders: {collection: %1$s/orders, url: 'http://127.0.0.1:%2$d/', secret: %3$s, attempts: 3, pause-ms: 10, document: true}
            """.formatted(mongo.databaseName(), target.getAddress().getPort(), SECRET));
        var states = mongo.database().getCollection("_webhooks");
        await().until(() ->
                states.countDocuments(Document.parse("{owner: {$exists: true}, token: {$exists: true}}")) == 1);
        return gateway;
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
        mongo.database().createCollection("orders");
        try (var gateway = gateway()) {
            var admin = TestClient.of(gateway.address()).as("admin", "secret");
            assertStatus(201, admin.post(orders, "{\"_id\": \"a\", \"n\": 1}"));
            assertStatus(201, admin.post(orders, "{\"_id\": \"bad\"}"));
            assertStatus(200, admin.put(orders + "/a", "{\"n\": 2}"));
            assertStatus(204, admin.delete(orders + "/a"));
            await().until(() -> takenOf("a").size() == 3);
            assertThat(takenOf("a")).element(2).isEqualTo("deletenull");
            assertThat(takenOf("a").getFirst()).startsWith("insert");
            var failures = mongo.database().getCollection("_webhookFailures");
            await().until(() -> failures.countDocuments() == 1);
            assertThat(failures.find().first())
                    .containsEntry("why", "status 500")
                    .containsEntry("hook", "orders");
        }
        mongo.database().getCollection("orders").insertOne(new Document("_id", "b").append("n", 3));
        try (var gateway = gateway()) {
            assertThat(gateway.address()).isNotNull();
            await().until(() -> !takenOf("b").isEmpty());
        }
        assertThat(forged).isEmpty();
    }

    @Test
    void settings_that_cannot_be_used_are_named_without_the_secret() {
        assertThatThrownBy(() -> plugins.start(mongo, """
                        webhooks: {hooks: [one], one: {collection: orders, url: 'ftp://x', secret: tooshort, on: [drop]}}
                        """).close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(
                        "/webhooks/one/collection", "/webhooks/one/url", "/webhooks/one/secret", "/webhooks/one/on")
                .hasMessageNotContaining("tooshort");
    }
}
