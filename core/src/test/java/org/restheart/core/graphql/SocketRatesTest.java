package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Operations on WebSockets count as requests for `rateLimits`.
@WithMongo
class SocketRatesTest {
    private static final int BURST = 5;
    private static final String QUERY = "subscription {changed{_id}}";

    private final TestMongo mongo;

    SocketRatesTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    /// @param limits keys of `rateLimits`
    private ConformanceGateway start(String limits) {
        mongo.database().drop();
        List.of("items", "gql-apps").forEach(mongo.database()::createCollection);
        var gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000", config -> config + """
                rateLimits: {enabled: true, shared: false, unlimited-roles: [admin], %s}
                """.formatted(limits));
        var admin = new GraphqlClient(gateway, "admin");
        var db = mongo.databaseName();
        for (var made : List.of(
                admin.send("PUT", "/" + db + "/items", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"),
                admin.send("PUT", "/defs/gql-apps", "{}"),
                admin.send("PUT", "/defs/gql-apps/live?wm=upsert", """
                        {"schema": "type Item { _id: Int } type Query { items: [Item] } type Subscription { changed: Item }",
                         "mappings": {
                           "Query": {"items": {"db": "$db", "collection": "items"}},
                           "Subscription": {"changed": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"}}}}
                        """.replace("$db", db)))) {
            assertThat(made.statusCode()).as(made.body()).isBetween(200, 201);
        }
        return gateway;
    }

    /// Operations of all kinds, of which none is answered with an event.
    private static void send(GraphqlWebSocket socket, int operations) throws InterruptedException {
        for (int i = 0; i < operations; i++) {
            var query = List.of(QUERY, "{items{_id}}", "{oops").get(i % 3);
            socket.subscribe("op" + i, query);
            if (!query.equals(QUERY)) {
                assertThat(refusal(socket)).doesNotContain("too many requests");
            }
        }
    }

    private static String refusal(GraphqlWebSocket socket) throws InterruptedException {
        var message = socket.next();
        assertThat(message.getString("type").getValue()).as(message.toJson()).isEqualTo("error");
        return message.getArray("payload").getFirst().asDocument().toJson();
    }

    private static BsonDocument pong(GraphqlWebSocket socket) throws InterruptedException {
        socket.send("{\"type\": \"ping\"}");
        return socket.next();
    }

    @Test
    void of_the_account() throws Exception {
        try (var gateway = start(
                        "address-requests-per-minute: 0, account-requests-per-minute: 1, account-burst: " + BURST);
                var socket = GraphqlWebSocket.connect(gateway, "bob", "live");
                var root = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            send(socket, BURST - 1); // the handshake was one
            socket.subscribe("one more", QUERY);
            assertThat(refusal(socket)).contains("too many requests");
            assertThat(pong(socket).getString("type").getValue()).isEqualTo("pong");
            var bob = new GraphqlClient(gateway, "bob");
            assertStatus(429, bob.ask("live", "{items{_id}}"));
            assertStatus(200, new GraphqlClient(gateway, "cat").ask("live", "{items{_id}}"));
            send(root, 2 * BURST);
            assertThat(pong(root).getString("type").getValue()).isEqualTo("pong");
        }
    }

    @Test
    void of_the_address() throws Exception {
        int earlier = 4; // requests above, with the handshake
        try (var gateway = start("account-requests-per-minute: 0, address-requests-per-minute: 1, address-burst: "
                        + (earlier + BURST));
                var socket = GraphqlWebSocket.connect(gateway, "bob", "live")) {
            send(socket, BURST);
            socket.subscribe("one more", QUERY);
            assertThat(refusal(socket)).contains("too many requests");
            assertStatus(429, new GraphqlClient(gateway, "cat").ask("live", "{items{_id}}"));
        }
    }
}
