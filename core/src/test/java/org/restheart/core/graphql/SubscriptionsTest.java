package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;

/// Subscriptions as server-sent events and on WebSockets.
class SubscriptionsTest extends SubscriptionsFixture {
    SubscriptionsTest(TestMongo mongo) {
        super(mongo);
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
            assertThat(answer.head())
                    .anyMatch(line -> line.contains("text/event-stream"))
                    .contains("X-Accel-Buffering: no");
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
            bob.ping();
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
    void metrics_count_subscriptions_as_streams_when_they_end() throws Exception {
        var ended = "gateway_other_requests_seconds_count\\{kind=\"stream\",method=\"%s\",status=\"200\",?} [1-9]";
        GraphqlEvents.open(gateway, "admin", "live", CHANGED.replace("Changed", "ByEvents"))
                .close();
        try (var socket = GraphqlWebSocket.connect(gateway, "admin", "live")) {
            socket.subscribe("1", CHANGED.replace("Changed", "BySocket"));
            socket.ping();
            assertThat(admin.send("GET", "/metrics/streams", "").body())
                    .containsPattern("streams_listeners\\{transport=\"sse\",?} [1-9]");
            socket.send("{\"type\": \"complete\", \"id\": \"1\"}");
            await().untilAsserted(() -> assertThat(
                            admin.send("GET", "/metrics/gateway", "").body())
                    .containsPattern(ended.formatted("POST"))
                    .containsPattern(ended.formatted("SUBSCRIBE")));
            assertThat(admin.send("GET", "/metrics/graphql/*", "").body()).doesNotContain("ByEvents", "BySocket");
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
}
