package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
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
            var sockets = new ArrayList<GraphqlWebSocket>();
            try (var bob = GraphqlWebSocket.connect(gateway, "bob", "live")) {
                for (int i = 0; i < 20; i++) {
                    var socket = GraphqlWebSocket.connect(gateway, "ada", "live");
                    sockets.add(socket);
                    var _ = socket.tryBegin("{\"type\": \"" + PART);
                }
                await().untilAsserted(() -> assertThat(closed(sockets)).hasSizeBetween(15, 19));
                assertThat(closed(sockets)).containsOnly(1013);
                bob.send("{\"type\": \"ping\", \"padding\": \"" + PART + "\"}");
                assertThat(bob.next().getString("type").getValue()).isEqualTo("pong");
            } finally {
                sockets.forEach(GraphqlWebSocket::close);
            }
            await().untilAsserted(() -> {
                try (var again = GraphqlWebSocket.connect(gateway, "ada", "live")) {
                    again.send("{\"type\": \"ping\", \"padding\": \"" + PART.repeat(2) + "\"}");
                    assertThat(again.next().getString("type").getValue()).isEqualTo("pong");
                }
            });
        }
    }

    private static List<Integer> closed(List<GraphqlWebSocket> sockets) {
        return sockets.stream().flatMap(socket -> socket.closed().stream()).toList();
    }
}
