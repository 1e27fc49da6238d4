package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Start positions of streams, and validation of definitions.
@WithMongo
class StreamStartTest {
    private static final String DEFINITIONS = """
        {"streams": [
          {"uri": "all", "stages": []},
          {"uri": "nw", "stages": [], "notify_when": {"fullDocument::tenant": {"$var": "tid"}},
           "notify_when_required": true}]}\
        """;

    @AutoClose
    private final StreamsGateway gateway;

    StreamStartTest(TestMongo mongo) throws Exception {
        gateway = StreamsGateway.start(mongo, ", validate-streams: true");
        gateway.define("t", DEFINITIONS);
    }

    private static String query(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static int n(BsonDocument envelope) {
        return envelope.getDocument("event")
                .getDocument("fullDocument")
                .getInt32("n")
                .getValue();
    }

    @Test
    void a_websocket_resumes_after_the_token_of_an_envelope() throws Exception {
        String token;
        try (var plain = WebSocketListener.open(gateway, "/t/_streams/all");
                var first = WebSocketListener.open(gateway, "/t/_streams/all?resumeAfter=")) {
            gateway.insert("t", "{n: 1}");
            var envelope = first.next();
            assertThat(envelope.keySet()).containsExactly("token", "event");
            assertThat(n(envelope)).isEqualTo(1);
            token = envelope.getDocument("token").toJson();
            assertThat(plain.nextN()).isEqualTo(1);
        }
        gateway.insert("t", "{n: 2}");
        try (var again = WebSocketListener.open(gateway, "/t/_streams/all?resumeAfter=" + query(token))) {
            assertThat(n(again.next())).isEqualTo(2);
            gateway.insert("t", "{n: 3}");
            assertThat(n(again.next())).isEqualTo(3);
        }
    }

    @Test
    void a_listener_begins_at_a_time() throws Exception {
        var reply = gateway.database().runCommand(BsonDocument.parse("{ping: 1}"), BsonDocument.class);
        var time = new BsonDocument("t", reply.getTimestamp("operationTime")).toJson();
        gateway.insert("t", "{n: 1}");
        gateway.insert("t", "{n: 2}");
        var at = "?startAtOperationTime="
                + query(time.substring(time.indexOf(':') + 1, time.length() - 1).strip());
        try (var webSocket = WebSocketListener.open(gateway, "/t/_streams/all" + at);
                var events = SseListener.open(gateway, "/t/_streams/all" + at)) {
            assertThat(n(webSocket.next())).isEqualTo(1);
            assertThat(n(webSocket.next())).isEqualTo(2);
            assertThat(events.nextN()).isEqualTo(1);
            gateway.insert("t", "{n: 3}");
            assertThat(n(webSocket.next())).isEqualTo(3);
        }
        try (var from = SseListener.open(
                gateway, "/t/_streams/all?startAtOperationTime=" + (System.currentTimeMillis() / 1000 - 1))) {
            assertThat(from.status()).contains(" 200 ");
        }
    }

    @Test
    @Timeout(180)
    void a_client_that_is_cut_off_before_its_first_event_misses_none() throws Exception {
        var target = "/t/_streams/all?resumeAfter=";
        String id;
        try (var first = SseListener.open(gateway, target)) {
            id = first.nextId();
        }
        gateway.insert("t", "{n: 1}");
        try (var again = new SseListener(gateway, target, id)) {
            assertThat(again.nextN()).isEqualTo(1);
            gateway.insert("t", "{n: 2}");
            assertThat(again.nextN()).isEqualTo(2);
        }
    }

    @Test
    void a_start_that_makes_no_sense_is_refused() throws Exception {
        assertThat(gateway.handshake("/t/_streams/all?resumeAfter=x")).isEqualTo(400);
        assertThat(gateway.handshake("/t/_streams/all?resumeAfter=" + query("{\"_data\": \"00\"}")))
                .isEqualTo(400);
        assertThat(gateway.handshake("/t/_streams/all?startAtOperationTime=yesterday"))
                .isEqualTo(400);
        assertThat(gateway.handshake(
                        "/t/_streams/all?startAtOperationTime=1&resumeAfter=" + query("{\"_data\": \"00\"}")))
                .isEqualTo(400);
    }

    @Test
    void a_resumed_listener_keeps_its_own_filter() throws Exception {
        String id;
        try (var first = SseListener.open(gateway, "/t/_streams/nw?tid=A")) {
            gateway.insert("t", "{n: 1, tenant: 'A'}");
            id = first.next().id();
        }
        gateway.insert("t", "{n: 2, tenant: 'B'}");
        gateway.insert("t", "{n: 3, tenant: 'A'}");
        try (var again = new SseListener(gateway, "/t/_streams/nw?tid=A", id)) {
            assertThat(again.nextN()).isEqualTo(3);
            // on an idle deployment MongoDB says only every ten seconds that nothing has happened
            await().until(() -> gateway.cursors("t") == 1);
        }
        assertThat(gateway.handshake("/t/_streams/nw")).isEqualTo(400);
    }

    @Test
    void malformed_definitions_are_refused_when_they_are_written() throws Exception {
        for (var streams : new String[] {
            "{}",
            "[1]",
            "[{\"stages\": []}]",
            "[{\"uri\": \"\", \"stages\": []}]",
            "[{\"uri\": \"a/b\", \"stages\": []}]",
            "[{\"uri\": \"a\", \"stages\": [1]}]",
            "[{\"uri\": \"a\", \"stages\": [], \"notify_when\": {\"x\": 1}}]",
            "[{\"uri\": \"a\", \"stages\": [], \"fullDocument\": \"never\"}]",
            "[{\"uri\": \"a\", \"stages\": [], \"applyReadFilter\": 1}]"
        }) {
            var content = "{\"streams\": " + streams + "}";
            for (var method : new String[] {"PUT", "PATCH"}) {
                var answer = gateway.send(method, "/t", content);
                assertThat(answer.statusCode()).as(method + content).isEqualTo(400);
                assertThat(answer.body()).contains("invalid streams: ");
            }
        }
        assertStatus(400, gateway.send("PATCH", "/t", "{\"streams.0.uri\": \"b\"}"));
        assertStatus(400, gateway.send("PATCH", "/t", "{\"$push\": {\"streams\": {\"uri\": 1}}}"));
        assertStatus(200, gateway.send("PATCH", "/t", "{\"$unset\": {\"streams\": 1}}"));
    }
}
