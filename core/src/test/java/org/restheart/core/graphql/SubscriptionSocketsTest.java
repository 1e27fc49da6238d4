package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;

/// Subscriptions on WebSockets.
class SubscriptionSocketsTest extends SubscriptionsFixture {
    SubscriptionSocketsTest(TestMongo mongo) {
        super(mongo);
    }

    @Test
    void a_websocket_carries_several_subscriptions() throws Exception {
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            assertThat(socket.protocol()).isEqualTo("graphql-transport-ws");
            socket.subscribe("one", "subscription {of(n: 1){_id}}");
            socket.subscribe("two", "subscription {of(n: 2){_id}}");
            socket.ping();
            insert(21, "ada", 2);
            assertThat(compact(socket.next()))
                    .isEqualTo("{\"id\":\"two\",\"type\":\"next\",\"payload\":{\"data\":{\"of\":{\"_id\":21}}}}");
            socket.send("{\"type\": \"complete\", \"id\": \"two\"}");
            socket.subscribe("two", "subscription {of(n: 3){_id}}");
            socket.ping();
            insert(22, "ada", 2);
            insert(23, "ada", 1);
            assertThat(socket.next().getString("id").getValue()).isEqualTo("one");
        }
    }

    @Test
    void a_websocket_resumes_after_a_token() throws Exception {
        String token;
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.send("""
                    {"type": "subscribe", "id": "1", "payload": {"query": "%s", "extensions": {"resumeAfter": ""}}}""".formatted(CHANGED));
            socket.ping();
            insert(31, "ada", 1);
            token = socket.next()
                    .getDocument("payload")
                    .getDocument("extensions")
                    .getDocument("resumeToken")
                    .toJson();
        }
        insert(32, "ada", 1);
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.send("""
                    {"type": "subscribe", "id": "1", "payload": {"query": "%s", "extensions": {"resumeAfter": %s}}}""".formatted(CHANGED, token));
            assertThat(socket.next().toJson()).contains("32");
        }
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) { // as a text
            socket.send("""
                    {"type": "subscribe", "id": "1", "payload": {"query": "%s", "extensions": {"resumeAfter": %s}}}""".formatted(CHANGED, "\"" + token.replace("\"", "\\\"") + "\""));
            assertThat(socket.next().toJson()).contains("32");
            for (var wrong : List.of("\"x\"", "5", "[]", "true", "{\"_data\": \"x\"}", "{}")) {
                socket.send("""
                        {"type": "subscribe", "id": "2", "payload": {"query": "%s", "extensions": {"resumeAfter": %s}}}""".formatted(CHANGED, wrong));
                assertThat(socket.next().toJson()).as(wrong).contains("\"error\"", "resume");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, '{\"type\": \"subscribe\", \"id\": \"1\", \"payload\": {\"query\": \"x\"}}', 4401",
        "false, 'no json', 4400",
        "false, '{\"type\": \"other\"}', 4400",
        "true, '{\"type\": \"connection_init\"}', 4429",
        "true, '{\"type\": \"subscribe\", \"id\": \"taken\", \"payload\": {\"query\": \"x\"}}', 4409",
        "true, '{\"type\": \"subscribe\", \"payload\": {\"query\": \"x\"}}', 4400"
    })
    void what_breaks_the_protocol_closes_the_connection(boolean connected, String message, int code) throws Exception {
        try (var socket = connected
                ? GraphqlWebSocket.connect(gateway, "admin", "live")
                : GraphqlWebSocket.open(gateway, "admin", "live")) {
            if (message.contains("taken")) {
                socket.subscribe("taken", CHANGED);
            }
            socket.send(message);
            assertThat(socket.closeCode()).isEqualTo(code);
        }
    }

    @Test
    void queries_are_refused_on_a_websocket_and_large_messages_close_it() throws Exception {
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.subscribe("q", "{items{_id}}");
            assertThat(socket.next().toJson()).contains("error", "only subscriptions");
            var _ = socket.trySend("{\"type\": \"" + "x".repeat(2 << 20) + "\"}");
            assertThat(socket.closeCode()).isEqualTo(1009);
        }
    }

    @Test
    void a_changed_definition_ends_its_subscriptions_at_the_next_event() throws Exception {
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.subscribe("1", CHANGED);
            socket.ping();
            send("PATCH", "/defs/gql-apps/live", "{\"descriptor.enabled\": false}");
            insert(41, "ada", 1);
            assertThat(socket.closeCode()).isEqualTo(1012);
        } finally {
            define();
        }
    }
}
