package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// How streams begin, end and are counted.
@WithMongo
class StreamLivesTest {
    private static final String DEFINITIONS = """
            {"streams": [
              {"uri": "all", "stages": []},
              {"uri": "before", "stages": [], "fullDocumentBeforeChange": "required", "fullDocument": "required"},
              {"uri": "two", "stages": [{"$match": {"operationType": "insert"}}]},
              {"uri": "three", "stages": [{"$match": {"operationType": "update"}}]},
              {"uri": "lost", "stages": [{"$unset": "_id"}]}]}""";

    @AutoClose
    private final StreamsGateway gateway;

    StreamLivesTest(TestMongo mongo) throws Exception {
        gateway = StreamsGateway.start(
                mongo,
                ", local-cache-ttl: 1000, change-streams-max-cursors: 4, change-streams-max-cursors-per-account: 3");
        gateway.define("t", DEFINITIONS);
    }

    @Test
    void a_new_listener_misses_nothing_after_the_handshake() throws Exception {
        try (var _ = WebSocketListener.open(gateway, "/t/_streams/all")) {
            for (int n = 0; n < 20; n++) {
                try (var listener = WebSocketListener.open(gateway, "/t/_streams/all")) {
                    gateway.insert("t", "{n: " + n + "}");
                    assertThat(listener.nextN()).isEqualTo(n);
                }
            }
            assertThat(gateway.cursors("t")).isEqualTo(1);
        }
    }

    @Test
    void a_redefinition_by_others_closes_its_listeners() throws Exception {
        try (var changed = WebSocketListener.open(gateway, "/t/_streams/two");
                var kept = WebSocketListener.open(gateway, "/t/_streams/all")) {
            gateway.collection("_properties")
                    .updateOne(eq("_id", "_properties.t"), set("streams.2.stages", new BsonArray()));
            assertThat(changed.closeCode()).isEqualTo(1012);
            assertThat(kept.isClosed()).isFalse();
        }
    }

    @Test
    void a_dropped_database_and_a_renamed_collection_end_their_streams() throws Exception {
        try (var renamed = WebSocketListener.open(gateway, "/t/_streams/all")) {
            gateway.collection("t")
                    .renameCollection(
                            new com.mongodb.MongoNamespace(gateway.database().getName(), "t2"));
            assertThat(renamed.next()).isEqualTo(BsonDocument.parse("{operationType: 'rename'}"));
            assertThat(renamed.closeCode()).isEqualTo(1012);
        }
        gateway.define("u", DEFINITIONS);
        try (var dropped = WebSocketListener.open(gateway, "/u/_streams/all")) {
            gateway.database().drop();
            assertThat(dropped.closeCode()).isEqualTo(1012);
        }
    }

    @Test
    void a_pipeline_that_takes_the_token_away_fails_with_1011() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/lost")) {
            gateway.insert("t", "{n: 1}");
            assertThat(listener.closeCode()).isEqualTo(1011);
        }
        await().until(() -> gateway.cursors("t") == 0);
    }

    @Test
    void more_streams_than_the_share_of_an_address_are_refused() throws Exception {
        try (var _ = WebSocketListener.open(gateway, "/t/_streams/all");
                var _ = WebSocketListener.open(gateway, "/t/_streams/two");
                var three = SseListener.open(gateway, "/t/_streams/three");
                var again = SseListener.open(gateway, "/t/_streams/two")) {
            assertThat(three.status()).contains(" 429 ");
            assertThat(again.status()).contains(" 200 ");
        }
    }

    @Test
    void an_event_contains_the_document_before_and_after_its_change() throws Exception {
        gateway.database()
                .runCommand(BsonDocument.parse("{collMod: 't', changeStreamPreAndPostImages: {enabled: true}}"));
        gateway.insert("t", "{_id: 1, n: 1}");
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/before")) {
            gateway.collection("t").updateOne(eq("_id", 1), set("n", 2));
            gateway.collection("t").updateOne(eq("_id", 1), set("n", 3));
            var event = listener.next();
            assertThat(event.get("fullDocumentBeforeChange")).isEqualTo(BsonDocument.parse("{_id: 1, n: 1}"));
            assertThat(event.get("fullDocument")).isEqualTo(BsonDocument.parse("{_id: 1, n: 2}"));
        }
    }

    @Test
    void listeners_streams_and_events_are_counted() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all");
                var events = SseListener.open(gateway, "/t/_streams/all")) {
            gateway.insert("t", "{n: 1}");
            listener.next();
            events.next();
            await().untilAsserted(() -> assertThat(
                            gateway.send("GET", "/metrics/streams", "").body())
                    .contains(
                            "streams_listeners{transport=\"web_socket\"} 1.0",
                            "streams_listeners{transport=\"sse\"} 1.0",
                            "streams_cursors 1.0",
                            "streams_events_total 1.0",
                            "streams_messages_total 2.0",
                            "streams_lag_seconds_count 2",
                            "streams_dropped_total 0.0"));
        }
    }
}
