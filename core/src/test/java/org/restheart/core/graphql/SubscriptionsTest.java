package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Subscriptions as server-sent events and on WebSockets.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubscriptionsTest {
    private static final String CHANGED = "subscription Changed {changed{operationType fullDocument{_id n secret}}}";

    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    SubscriptionsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
        this.admin = new GraphqlClient(gateway, "admin");
        mongo.client().getDatabase(db).createCollection("makers");
        mongo.client()
                .getDatabase(db)
                .getCollection("makers")
                .insertMany(List.of(
                        new Document("_id", 1).append("name", "M1"), new Document("_id", 2).append("name", "M2")));
        send("PUT", "/" + db + "/items", """
                {"streams": [
                  {"uri": "all", "stages": []},
                  {"uri": "ruled", "stages": [], "applyReadFilter": true, "applyProjection": true},
                  {"uri": "of", "stages": [{"$match": {"fullDocument.n": {"$var": "n"}}}]}]}""");
        define();
    }

    @BeforeEach
    void define() {
        admin.define("live", """
                {"schema": "type Item { _id: Int n: Int secret: String maker: Maker } type Maker { name: String }
                   type Change { operationType: String fullDocument: Item }
                   type Query { items: [Item] }
                   type Subscription { changed: Change ruled: Item of(n: Int): Item missing: Item none: Item strict: Item! }",
                 "mappings": {
                   "Query": {"items": {"db": "$db", "collection": "items"}},
                   "Item": {"maker": {"db": "$db", "collection": "makers", "find": {"_id": {"$fk": "n"}}}},
                   "Subscription": {
                     "changed": {"db": "$db", "collection": "items", "stream": "all"},
                     "strict": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"},
                     "ruled": {"db": "$db", "collection": "items", "stream": "ruled", "path": "fullDocument"},
                     "of": {"db": "$db", "collection": "items", "stream": "of", "path": "fullDocument",
                            "avars": {"n": {"$arg": "n"}}},
                     "missing": {"db": "$db", "collection": "items", "stream": "missing"}}}}
                """.replace("$db", db).replace("\n                   type", " type"));
    }

    private void send(String method, String path, String json) {
        var response = admin.send(method, path, json);
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    }

    private void insert(int id, String owner, int n) {
        mongo.client()
                .getDatabase(db)
                .getCollection("items")
                .replaceOne(
                        new Document("_id", id),
                        new Document("_id", id)
                                .append("owner", owner)
                                .append("n", n)
                                .append("secret", "s" + n)
                                .append("at", System.nanoTime()),
                        new com.mongodb.client.model.ReplaceOptions().upsert(true));
    }

    private static String compact(BsonDocument document) {
        return document.toJson().replace(" ", "");
    }

    @Test
    void events_are_results_of_the_operation_in_order() throws Exception {
        try (var events = GraphqlEvents.open(gateway, "admin", "live", "subscription {strict{_id n maker{name}}}")) {
            assertThat(events.status()).contains("200");
            for (int i = 0; i < 50; i++) {
                insert(100 + i, "ada", 1 + i % 2);
            }
            for (int i = 0; i < 50; i++) {
                var sent = events.next();
                assertThat(sent.event()).isEqualTo("next");
                assertThat(compact(sent.document().getDocument("data")))
                        .isEqualTo("{\"strict\":{\"_id\":%d,\"n\":%d,\"maker\":{\"name\":\"M%d\"}}}"
                                .formatted(100 + i, 1 + i % 2, 1 + i % 2));
            }
        }
    }

    @Test
    void a_client_that_returns_goes_on_after_its_last_event() throws Exception {
        String id;
        try (var events = GraphqlEvents.open(gateway, "admin", "live", CHANGED)) {
            insert(1, "ada", 1);
            id = events.next().id();
        }
        insert(2, "ada", 2);
        try (var events = GraphqlEvents.open(gateway, "admin", "live", CHANGED, "Last-Event-ID: " + id)) {
            assertThat(events.data()
                            .getDocument("changed")
                            .getDocument("fullDocument")
                            .get("_id"))
                    .isEqualTo(new BsonInt32(2));
        }
    }

    /// By the header, or by the member of the request, as the position itself or as its text.
    @Test
    void a_client_that_is_cut_off_before_its_first_event_goes_on_where_it_began() throws Exception {
        var asked = "{\"query\": \"%s\", \"extensions\": {\"resumeAfter\": %s}}";
        String beginning;
        try (var events = GraphqlEvents.ask(gateway, "admin", "live", asked.formatted(CHANGED, "\"\""))) {
            beginning = events.position();
        }
        insert(61, "ada", 1);
        var text = new BsonString(beginning);
        try (var header = GraphqlEvents.open(gateway, "admin", "live", CHANGED, "Last-Event-ID: " + beginning);
                var member = GraphqlEvents.ask(gateway, "admin", "live", asked.formatted(CHANGED, beginning));
                var quoted = GraphqlEvents.ask(
                        gateway,
                        "admin",
                        "live",
                        new BsonDocument("query", new BsonString(CHANGED))
                                .append("extensions", new BsonDocument("resumeAfter", text))
                                .toJson())) {
            for (var events : List.of(header, member, quoted)) {
                var changed = events.data().getDocument("changed");
                assertThat(changed.getDocument("fullDocument").get("_id")).isEqualTo(new BsonInt32(61));
            }
        }
    }

    @Test
    void other_operations_are_answered_as_events_too() throws Exception {
        try (var events = GraphqlEvents.open(gateway, "admin", "live", "{items(nope: 1){_id}}")) {
            var sent = events.next();
            assertThat(sent.event()).isEqualTo("next");
            assertThat(sent.document().getArray("errors")).isNotEmpty();
            assertThat(events.next().event()).isEqualTo("complete");
        }
        try (var events = GraphqlEvents.open(gateway, "admin", "live", "{items{_id}}")) {
            assertThat(events.data().getArray("items")).isNotNull();
            assertThat(events.next().event()).isEqualTo("complete");
        }
    }

    @Test
    void a_client_that_accepts_both_has_json_unless_it_subscribes() throws Exception {
        var both = "Accept: application/graphql-response+json, application/json";
        try (var answer = GraphqlEvents.open(gateway, "admin", "live", "{items{_id}}", both)) {
            assertThat(answer.head()).anyMatch(line -> line.endsWith("application/graphql-response+json"));
        }
        try (var answer = GraphqlEvents.open(gateway, "admin", "live", CHANGED, both)) {
            assertThat(answer.head()).anyMatch(line -> line.contains("text/event-stream"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'subscription {missing{_id}}', does not exist",
        "'subscription {of{_id}}', not bound",
        "'subscription {a: changed{operationType} b: changed{operationType}}', ''"
    })
    void a_stream_that_cannot_be_opened_is_an_error(String query, String message) throws Exception {
        try (var events = GraphqlEvents.open(gateway, "admin", "live", query)) {
            assertThat(events.next()
                            .document()
                            .getArray("errors")
                            .getFirst()
                            .asDocument()
                            .getString("message")
                            .getValue())
                    .contains(message);
            assertThat(events.next().event()).isEqualTo("complete");
        }
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.subscribe("1", query);
            var refusal = socket.next();
            assertThat(refusal.getString("type").getValue()).isEqualTo("error");
            assertThat(refusal.getArray("payload")
                            .getFirst()
                            .asDocument()
                            .getString("message")
                            .getValue())
                    .contains(message);
        }
    }

    @Test
    void a_plain_request_is_told_how_to_subscribe_and_an_unmapped_field_has_no_data() {
        var answer = admin.answer("live", CHANGED);
        assertThat(answer.getArray("errors").toString()).contains("text/event-stream");
        assertThat(admin.ask("live", "subscription {none{_id}}").body()).isEqualTo("{\"data\":null}");
    }

    @Test
    void access_rules_hold_for_streams_that_apply_them() throws Exception {
        var query = "subscription {ruled{_id secret}}";
        try (var ada = GraphqlEvents.open(gateway, "ada", "live", query);
                var bob = GraphqlWebSocket.connect(gateway, "bob", "live")) {
            bob.subscribe("b", query);
            bob.send("{\"type\": \"ping\"}"); // answered after the subscription is open
            assertThat(bob.next().getString("type").getValue()).isEqualTo("pong");
            insert(11, "bob", 1);
            insert(12, "ada", 2);
            assertThat(compact(ada.data())).isEqualTo("{\"ruled\":{\"_id\":12,\"secret\":\"s2\"}}");
            assertThat(compact(bob.next().getDocument("payload").getDocument("data")))
                    .isEqualTo("{\"ruled\":{\"_id\":11,\"secret\":null}}");
        }
        try (var eve = GraphqlEvents.open(gateway, "eve", "live", query)) {
            assertThat(eve.next().document().getArray("errors")).hasSize(1);
        }
    }

    @Test
    void a_websocket_carries_several_subscriptions() throws Exception {
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            assertThat(socket.protocol()).isEqualTo("graphql-transport-ws");
            socket.subscribe("one", "subscription {of(n: 1){_id}}");
            socket.subscribe("two", "subscription {of(n: 2){_id}}");
            socket.send("{\"type\": \"ping\"}");
            assertThat(socket.next().getString("type").getValue()).isEqualTo("pong");
            insert(21, "ada", 2);
            assertThat(compact(socket.next()))
                    .isEqualTo("{\"id\":\"two\",\"type\":\"next\",\"payload\":{\"data\":{\"of\":{\"_id\":21}}}}");
            socket.send("{\"type\": \"complete\", \"id\": \"two\"}");
            socket.subscribe("two", "subscription {of(n: 3){_id}}");
            socket.send("{\"type\": \"ping\"}");
            assertThat(socket.next().getString("type").getValue()).isEqualTo("pong");
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
            socket.send("{\"type\": \"ping\"}");
            socket.next();
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
    void a_misspelt_stream_is_warned_of() {
        var response = admin.send("PUT", "/defs/gql-apps/misspelt?wm=upsert", """
                {"schema": "type Query { a: Int } type Subscription { changed: Int }",
                 "mappings": {"Query": {"a": "a"},
                              "Subscription": {"changed": {"db": "$db", "collection": "items", "stream": "rulled"}}}}
                """.replace("$db", db));
        assertStatus(201, response);
        assertThat(response.headers().allValues("Warning"))
                .contains("299 - \"the mapping for Subscription.changed names the stream rulled, which " + db
                        + ".items does not declare; did you mean ruled?\"");
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
            socket.send("{\"type\": \"ping\"}");
            socket.next();
            send("PATCH", "/defs/gql-apps/live", "{\"descriptor.enabled\": false}");
            insert(41, "ada", 1);
            assertThat(socket.closeCode()).isEqualTo(1012);
        } finally {
            define();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"stream\": \"a/b\"}', no valid name",
        "'{\"stream\": 1}', String",
        "'{\"stream\": \"all\", \"as\": \"app\"}', caller",
        "'{\"stream\": \"all\", \"find\": {}}', both",
        "'{\"stream\": \"all\", \"avars\": []}', Document",
        "'{\"stream\": \"all\", \"path\": 1}', String"
    })
    void a_definition_with_a_malformed_mapping_is_refused(String mapping, String message) {
        var whole = BsonDocument.parse(mapping)
                .append("db", new BsonString(db))
                .append("collection", new BsonString("items"))
                .toJson();
        for (var type : List.of("Subscription", "Query")) {
            var response = admin.send("PUT", "/defs/gql-apps/bad?wm=upsert", """
                    {"schema": "type Query { a: Int } type Subscription { s: Int }",
                     "mappings": {"Query": {"a": "a"}, "%s": {"s": %s}}}""".formatted(type, whole)
                    .replace("{\"Query\": {\"a\": \"a\"}, \"Query\"", "{\"Query\""));
            assertStatus(400, response);
            assertThat(response.body()).contains(type.equals("Query") ? "only fields of Subscription" : message);
        }
    }

    @Test
    void metrics_count_subscriptions_by_operation() throws Exception {
        GraphqlEvents.open(gateway, "admin", "live", CHANGED.replace("Changed", "ByEvents"))
                .close();
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.subscribe("1", CHANGED.replace("Changed", "BySocket"));
            socket.send("{\"type\": \"ping\"}");
            socket.next();
            assertThat(admin.send("GET", "/metrics/streams", "").body())
                    .containsPattern("streams_listeners\\{transport=\"sse\",?} [1-9]");
            socket.send("{\"type\": \"complete\", \"id\": \"1\"}");
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(
                                    admin.send("GET", "/metrics/graphql/*", "").body())
                            .containsPattern("code=\"200\",query=\"changed\",operation=\"ByEvents\",} 1.0")
                            .containsPattern("code=\"200\",query=\"changed\",operation=\"BySocket\",} 1.0"));
        }
    }
}
