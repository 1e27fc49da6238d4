package org.restheart.core.streams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Events and handshakes of streams.
@WithMongo
class StreamsTest {
    private static final String DEFINITIONS = """
        {"streams": [
          {"uri": "all", "stages": []},
          {"uri": "k", "stages": [{"_$match": {"fullDocument::k": {"$var": "k"}}}]},
          {"uri": "opt", "stages": [{"$ifvar": ["k", {"$match": {"fullDocument.k": {"$var": ["k", 1]}}}]}]},
          {"uri": "nw", "stages": [], "notify_when": {"fullDocument::tenant": {"$var": "tid"}}},
          {"uri": "optional", "stages": [], "notify_when": {"fullDocument::tenant": {"$var": "tid"}},
           "notify_when_required": false},
          {"uri": "divides", "stages": [{"$addFields": {"fullDocument.r": {"$divide": [1, "$fullDocument.d"]}}}]},
          {"uri": "groups", "stages": [{"$group": {"_id": 1}}]},
          {"uri": "looks", "stages": [{"$lookup": {"from": "users"}}]},
          {"uri": "malformed", "stages": 1}]}\
        """;

    @AutoClose
    private final StreamsGateway gateway;

    StreamsTest(TestMongo mongo) throws Exception {
        gateway = StreamsGateway.start(mongo, "");
        gateway.define("t", DEFINITIONS);
    }

    @Test
    void an_invalid_handshake_is_answered_with_its_status() throws Exception {
        var plain = gateway.send("GET", "/t/_streams/all", "");
        assertStatus(400, plain);
        assertThat(plain.body()).contains("Change Stream requires WebSocket or SSE");
        assertThat(gateway.send("GET", "/t/_streams/zzz", "").body()).contains("Change Stream does not exist");
        assertThat(gateway.handshake("/nocoll/_streams/all")).isEqualTo(404);
        assertThat(gateway.handshake("/t/_streams/zzz")).isEqualTo(404);
        assertThat(gateway.handshake("/t/_streams/k")).isEqualTo(400);
        assertThat(gateway.handshake("/t/_streams/k?avars=%7B%22k%22:%22x%22%7D"))
                .isEqualTo(101);
        assertThat(gateway.handshake("/t/_streams/k?avars=%7B%22@user.zone%22:%22x%22%7D"))
                .isEqualTo(400);
        assertThat(gateway.handshake("/t/_streams/groups")).isEqualTo(400);
        assertThat(gateway.handshake("/t/_streams/looks")).isEqualTo(403);
        assertThat(gateway.handshake("/t/_streams/malformed")).isEqualTo(500);
        assertThat(gateway.handshake("/t/_streams/all/more")).isEqualTo(101);
        assertStatus(405, gateway.send("POST", "/t/_streams/all", "{}"));
    }

    /// Each is a file of the gateway and a connection of MongoDB.
    @Test
    void connections_to_mongodb_end_when_streams_have_ended(TestMongo mongo) throws Exception {
        var name = mongo.databaseName() + "-idle";
        var more = "core: {name: " + name + "}\nmongoAclAuthorizer: {acl-db: $db, acl-collection: acl}";
        try (var named = gateway.another(mongo, "", more)) {
            var stages = List.of(
                    new Document("$currentOp", new Document("idleConnections", true)),
                    new Document("$match", new Document("appName", "restheart " + name + " (streams)")));
            IntSupplier connections = () -> mongo.client()
                    .getDatabase("admin")
                    .aggregate(stages)
                    .into(new ArrayList<>())
                    .size();
            try (var listeners = new Opened<WebSocketListener>()) {
                for (int i = 0; i < 20; i++) {
                    listeners.add(WebSocketListener.open(named, "/t/_streams/k?avars=%7B%22k%22:" + i + "%7D"));
                }
                await().until(() -> connections.getAsInt() >= 20);
            }
            Patience.within(Duration.ofMinutes(1)).until(() -> connections.getAsInt() < 10);
        }
    }

    @Test
    void events_carry_what_has_changed_and_nothing_else() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all")) {
            gateway.insert("t", "{_id: 'a', n: 1, f: 1}");
            assertThat(listener.next()).isEqualTo(BsonDocument.parse("""
                {fullDocument: {_id: 'a', n: 1, f: 1}, documentKey: {_id: 'a'},
                 operationType: 'insert'}\
                """));
            gateway.collection("t")
                    .updateOne(BsonDocument.parse("{_id: 'a'}"), BsonDocument.parse("{$set: {n: 2}, $unset: {f: 1}}"));
            assertThat(listener.next()).isEqualTo(BsonDocument.parse("""
                {fullDocument: {_id: 'a', n: 2}, documentKey: {_id: 'a'},
                 updateDescription: {updatedFields: {n: 2}, removedFields: ['f']},
                 operationType: 'update'}\
                """));
            gateway.collection("t").deleteOne(BsonDocument.parse("{_id: 'a'}"));
            assertThat(listener.next())
                    .isEqualTo(BsonDocument.parse("{documentKey: {_id: 'a'}, operationType: 'delete'}"));
        }
    }

    @Test
    void every_listener_has_every_event_in_order_from_one_cursor() throws Exception {
        try (var first = WebSocketListener.open(gateway, "/t/_streams/all");
                var second = SseListener.open(gateway, "/t/_streams/all?unrelated=1")) {
            assertThat(second.head()).contains("X-Accel-Buffering: no", "Cache-Control: no-store");
            int count = 900;
            for (int from = 0; from < count; from += 100) {
                var batch = new ArrayList<BsonDocument>();
                for (int n = from; n < from + 100; n++) {
                    batch.add(BsonDocument.parse("{n: " + n + "}"));
                }
                gateway.collection("t").insertMany(batch);
            }
            for (int n = 0; n < count; n++) {
                assertThat(first.nextN()).isEqualTo(n);
                assertThat(second.nextN()).isEqualTo(n);
            }
            assertThat(gateway.cursors("t")).isEqualTo(1);
        }
    }

    @Test
    void a_write_after_the_handshake_is_never_missed() throws Exception {
        for (int n = 0; n < 20; n++) {
            try (var listener = WebSocketListener.open(gateway, "/t/_streams/opt?avars=%7B%22k%22:" + n + "%7D")) {
                gateway.insert("t", "{k: " + n + ", n: " + n + "}");
                assertThat(listener.nextN()).isEqualTo(n);
            }
        }
    }

    @Test
    void a_listener_without_the_parameter_is_refused_unless_it_is_optional() throws Exception {
        for (var query : List.of("", "?avars=" + URLEncoder.encode("{tid: 'A'}", UTF_8))) {
            assertThat(gateway.handshake("/t/_streams/nw" + query)).as(query).isEqualTo(400);
            assertThat(gateway.handshake("/t/_streams/optional" + query))
                    .as(query)
                    .isEqualTo(101);
        }
        try (var refused = new SseListener(gateway, "/t/_streams/nw", "")) {
            assertThat(refused.status()).contains(" 400 ");
        }
    }

    @Test
    void a_parameter_selects_the_events_of_a_listener() throws Exception {
        try (var a = WebSocketListener.open(gateway, "/t/_streams/nw?tid=A");
                var all = WebSocketListener.open(gateway, "/t/_streams/optional")) {
            gateway.insert("t", "{n: 1, tenant: 'A'}");
            gateway.insert("t", "{n: 2, tenant: 'B'}");
            gateway.insert("t", "{n: 3, tenant: ['Z', 'A']}");
            gateway.insert("t", "{n: 4, tenant: 5}");
            gateway.insert("t", "{n: 5, tenant: 'A'}");
            assertThat(new int[] {a.nextN(), a.nextN(), a.nextN()}).containsExactly(1, 3, 5);
            assertThat(new int[] {all.nextN(), all.nextN(), all.nextN(), all.nextN(), all.nextN()})
                    .containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    void a_client_that_comes_back_gets_what_it_missed_although_others_listen() throws Exception {
        try (var other = SseListener.open(gateway, "/t/_streams/all")) {
            String id;
            try (var first = SseListener.open(gateway, "/t/_streams/all")) {
                gateway.insert("t", "{n: 1}");
                id = first.next().id();
            }
            gateway.insert("t", "{n: 2}");
            gateway.insert("t", "{n: 3}");
            try (var again = new SseListener(gateway, "/t/_streams/all", id)) {
                assertThat(again.nextN()).isEqualTo(2);
                assertThat(again.nextN()).isEqualTo(3);
                for (int n = 4; n < 50; n++) {
                    gateway.insert("t", "{n: " + n + "}");
                    assertThat(again.nextN()).isEqualTo(n);
                }
                await().until(() -> gateway.cursors("t") == 1);
                gateway.insert("t", "{n: 50}");
                assertThat(again.nextN()).isEqualTo(50);
            }
            for (int n = 1; n <= 50; n++) {
                assertThat(other.nextN()).isEqualTo(n);
            }
        }
    }

    @Test
    void strict_parameters_know_those_of_streams(TestMongo mongo) throws Exception {
        try (var strict = StreamsGateway.start(mongo, ", strict-parameters: true")) {
            strict.define("t", DEFINITIONS);
            assertThat(strict.handshake("/t/_streams/nw?tid=a")).isEqualTo(101);
            assertThat(strict.handshake("/t/_streams/all?resumeAfter=")).isEqualTo(101);
            assertThat(strict.handshake("/t/_streams/all?tid=a")).isEqualTo(400);
            assertThat(strict.handshake("/t/_streams/nw?tdi=a")).isEqualTo(400);
        }
    }

    @Test
    void a_token_that_is_none_is_refused() throws Exception {
        try (var garbage = new SseListener(gateway, "/t/_streams/all", "{\"_data\": \"00\"}");
                var text = new SseListener(gateway, "/t/_streams/all", "no json")) {
            assertThat(garbage.status()).contains(" 400 ");
            assertThat(text.status()).contains(" 400 ");
        }
    }

    /// A listener's own cursor may read past the shared stream, which must not tell it the same events again.
    @Test
    void a_listener_that_resumes_during_writes_receives_each_event_once() throws Exception {
        var writing = new AtomicBoolean(true);
        var written = new AtomicInteger();
        var writer = Thread.ofVirtual().start(() -> {
            while (writing.get()) {
                gateway.insert("t", "{n: " + written.incrementAndGet() + "}");
            }
        });
        try (var other = SseListener.open(gateway, "/t/_streams/all");
                var resuming = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = other.next();
            var listeners = new ArrayList<Future<?>>();
            for (int i = 0; i < 8; i++) {
                listeners.add(resuming.submit(() -> {
                    resume(first);
                    return null;
                }));
            }
            for (var listener : listeners) {
                listener.get();
            }
        } finally {
            writing.set(false);
            writer.join();
        }
    }

    private void resume(SseListener.Event first) throws IOException {
        var id = first.id();
        int last = number(first);
        for (int resumed = 0; resumed < 30; resumed++) {
            try (var again = new SseListener(gateway, "/t/_streams/all", id)) {
                for (int i = 0; i < 15; i++) {
                    var event = again.next();
                    assertThat(number(event)).isEqualTo(++last);
                    id = event.id();
                }
            }
        }
    }

    private static int number(SseListener.Event event) {
        return event.document().getDocument("fullDocument").getInt32("n").getValue();
    }

    @Test
    void an_event_at_which_the_pipeline_fails_costs_no_other() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/divides")) {
            gateway.insert("t", "{n: 1, d: 1}");
            gateway.insert("t", "{n: 2, d: 'x'}");
            gateway.insert("t", "{n: 3, d: 1}");
            gateway.insert("t", "{n: 4, d: 1}");
            assertThat(new int[] {listener.nextN(), listener.nextN(), listener.nextN()})
                    .containsExactly(1, 3, 4);
        }
    }

    @Test
    void a_redefinition_closes_its_listeners_and_a_failed_write_none() throws Exception {
        try (var changed = WebSocketListener.open(gateway, "/t/_streams/optional");
                var kept = WebSocketListener.open(gateway, "/t/_streams/all")) {
            gateway.define("t", DEFINITIONS);
            assertStatus(409, gateway.send("DELETE", "/t", ""));
            gateway.insert("t", "{n: 1}");
            assertThat(kept.nextN()).isEqualTo(1);
            assertThat(changed.nextN()).isEqualTo(1);
            assertThat(changed.isClosed()).isFalse();
            var streams = "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}";
            assertStatus(200, gateway.send("PATCH", "/t", streams));
            assertThat(changed.closeCode()).isEqualTo(1012);
            gateway.insert("t", "{n: 2}");
            assertThat(kept.nextN()).isEqualTo(2);
            assertThat(kept.isClosed()).isFalse();
        }
    }

    @Test
    void a_dropped_collection_is_reported_and_then_the_connection_ends() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all");
                var events = SseListener.open(gateway, "/t/_streams/all")) {
            gateway.collection("t").drop();
            assertThat(listener.next()).isEqualTo(BsonDocument.parse("{operationType: 'drop'}"));
            assertThat(listener.next()).isEqualTo(BsonDocument.parse("{operationType: 'invalidate'}"));
            assertThat(listener.closeCode()).isEqualTo(1012);
            events.next();
            events.next();
            assertThatThrownBy(events::next).isInstanceOf(IOException.class);
        }
    }

    @Test
    void the_last_listeners_end_stops_the_cursor() throws Exception {
        try (var _ = WebSocketListener.open(gateway, "/t/_streams/all");
                var _ = SseListener.open(gateway, "/t/_streams/all")) {
            assertThat(gateway.cursors("t")).isEqualTo(1);
        }
        Patience.within(Duration.ofSeconds(5)).until(() -> gateway.cursors("t") == 0);
    }

    @Test
    void a_stop_closes_listeners_with_a_code() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all")) {
            gateway.close();
            assertThat(listener.closeCode()).isEqualTo(1001);
        }
    }
}
