package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What clients make the server keep by messages that they do not complete.
@WithMongo
class SocketMemoryTest {
    private static final String PART = "x".repeat(400_000);

    @Test
    void a_caller_loses_sockets_beyond_its_share_and_others_do_not(TestMongo mongo) throws Exception {
        mongo.database().getCollection("gql-apps").drop();
        mongo.database()
                .getCollection("gql-apps")
                .insertOne(
                        Document.parse("{_id: 'live', schema: 'type Query { a: Int }', mappings: {Query: {a: 'a'}}}"));
        try (var gateway = GraphqlGateway.start(
                mongo,
                "verbose: false",
                yaml -> yaml.replace("core: {", "core: {max-buffered-content: 4000000, ")
                        + "connection-options: {MAX_ENTITY_SIZE: 1000000}\n")) {
            try (var bob = GraphqlWebSocket.connect(gateway, "bob", "live");
                    var sockets = new Opened<GraphqlWebSocket>()) {
                for (int i = 0; i < 20; i++) {
                    var socket = sockets.add(GraphqlWebSocket.connect(gateway, "ada", "live"));
                    var _ = socket.tryBegin("{\"type\": \"" + PART);
                }
                await().untilAsserted(() -> assertThat(closed(sockets.all())).hasSizeBetween(15, 19));
                assertThat(closed(sockets.all())).containsOnly(1013);
                bob.send("{\"type\": \"ping\", \"padding\": \"" + PART + "\"}");
                assertThat(bob.next().getString("type").getValue()).isEqualTo("pong");
            }
            await().untilAsserted(() -> {
                try (var again = GraphqlWebSocket.connect(gateway, "ada", "live")) {
                    again.send("{\"type\": \"ping\", \"padding\": \"" + PART.repeat(2) + "\"}");
                    assertThat(again.next().getString("type").getValue()).isEqualTo("pong");
                }
            });
        }
    }

    /// Operations are executed again for each event.
    @Test
    void what_subscriptions_need_counts_until_they_end(TestMongo mongo) throws Exception {
        mongo.database().getCollection("gql-apps").drop();
        mongo.database().createCollection("gql-apps");
        var db = mongo.newDatabaseName();
        mongo.client().getDatabase(db).createCollection("first");
        try (var gateway = GraphqlGateway.start(
                mongo,
                "verbose: false",
                yaml -> yaml.replace("core: {", "core: {max-buffered-content: 4000000, ")
                        + "connection-options: {MAX_ENTITY_SIZE: 1000000}\n")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.send("PUT", "/" + db + "/items", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
            admin.define("live", """
                    {"schema": "type Item { _id: Int } type Query { a: Int } type Subscription { item: Item }",
                     "mappings": {"Query": {"a": "a"}, "Subscription": {
                       "item": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"}}}}
                    """.replace("$db", db));
            var request = "{\"query\": \"subscription {item {_id}}\", \"variables\": {\"v\": \"" + PART + "\"}}";

            try (var streams = new Opened<GraphqlEvents>()) {
                for (int i = 0; i < 10; i++) {
                    streams.add(GraphqlEvents.ask(gateway, "admin", "live", request));
                }
                assertThat(streams.all()).anyMatch(stream -> stream.status().contains(" 200 "));
                assertThat(streams.all()).anyMatch(stream -> stream.status().contains(" 503 "));
            }
            await().untilAsserted(() -> {
                try (var again = GraphqlEvents.ask(gateway, "admin", "live", request)) {
                    assertThat(again.status()).contains(" 200 ");
                }
            });

            try (var sockets = new Opened<GraphqlWebSocket>()) {
                for (int i = 0; i < 10; i++) {
                    var socket = sockets.add(GraphqlWebSocket.connect(gateway, "admin", "live"));
                    var _ = socket.trySend("{\"type\": \"subscribe\", \"id\": \"a\", \"payload\": " + request + "}")
                            .thenCompose(_ -> socket.trySend("{\"type\": \"ping\"}")); // it sends one at a time
                    await().until(() -> socket.closedWith().isPresent() || socket.has("pong"));
                }
                assertThat(closed(sockets.all())).hasSizeBetween(1, 9).containsOnly(1013);
            }
            await().untilAsserted(() -> {
                try (var one = GraphqlWebSocket.connect(gateway, "admin", "live")) {
                    for (var id : List.of("a", "b", "c")) {
                        one.send("{\"type\": \"subscribe\", \"id\": \"" + id + "\", \"payload\": " + request + "}");
                    }
                    var refusal = one.next();
                    assertThat(refusal.getString("id").getValue()).isEqualTo("c");
                    assertThat(refusal.toJson()).contains("error", "bytes together at most");
                    one.send("{\"type\": \"complete\", \"id\": \"a\"}");
                    one.send("{\"type\": \"subscribe\", \"id\": \"d\", \"payload\": " + request + "}");
                    one.ping();
                }
            });
        }
    }

    /// A client may open and close very many in the time in which one must be initialized.
    @Test
    void closed_sockets_do_not_stay_in_memory(TestMongo mongo) throws Exception {
        mongo.database().getCollection("gql-apps").drop();
        mongo.database()
                .getCollection("gql-apps")
                .insertOne(
                        Document.parse("{_id: 'live', schema: 'type Query { a: Int }', mappings: {Query: {a: 'a'}}}"));
        try (var gateway = GraphqlGateway.start(mongo, "verbose: false", yaml -> yaml)) {
            handshake(gateway.port());
            long before = used();
            for (int i = 0; i < 300; i++) {
                handshake(gateway.port());
            }
            Patience.within(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(used() - before).isLessThan(10 << 20));
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /// With a head of 100 kB. The client closes the socket when it is open.
    private static void handshake(int port) throws IOException {
        var head = new StringBuilder("GET /graphql/live HTTP/1.1\r\nHost: test\r\n")
                .append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
                .append("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                .append("Sec-WebSocket-Protocol: graphql-transport-ws\r\n")
                .append("Authorization: ")
                .append(TestClient.basic("ada", "secret"))
                .append("\r\n");
        for (int i = 0; i < 25; i++) {
            head.append("X-Padding-").append(i).append(": ").repeat('x', 4_000).append("\r\n");
        }
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
            var status = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            assertThat(status).contains(" 101 ");
        }
    }

    private static List<Integer> closed(List<GraphqlWebSocket> sockets) {
        return sockets.stream().flatMap(socket -> socket.closedWith().stream()).toList();
    }
}
