package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.RandomRules;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `/_access/check` and `/_access/parse`: what rules decide, and what may be told of them.
@WithMongo
class AccessChecksTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("{_id: 'first', roles: ['editor'], priority: 9, predicate: \"path-prefix('/books') and"
                + " (method(GET) or method(PATCH)) and qparams-blacklist(secretparam)\","
                + " mongo: {readFilter: {owner: '@user._id'}, projectResponse: {cost: 0}}}");
        gateway.permit("{_id: 'second', roles: ['editor'], priority: 5, predicate: \"path('/books') and"
                + " method(POST) and bson-request-prop-equals(key=kind, value='novel')\"}");
        gateway.permit("{_id: 'third', roles: ['viewer'], predicate: \"path-prefix('/books')\"}");
        gateway.insert("books", "{_id: 1, owner: 'ada'}", "{_id: 2, owner: 'bob'}");
    }

    private static BsonDocument check(String asker, String question) {
        var response = gateway.as(asker).post("/_access/check", question);
        assertStatus(200, response);
        return BsonDocument.parse(response.body());
    }

    private static BsonDocument tried(BsonDocument answer, int index) {
        return answer.getArray("trace").get(index).asDocument();
    }

    private static BsonValue text(String text) {
        return new BsonString(text);
    }

    @Test
    void root_is_told_which_permission_allows_and_what_it_grants() {
        var answer = check("admin", "{\"method\": \"GET\", \"path\": \"/books/1\", \"as\": \"ada\"}");
        assertThat(answer).containsEntry("decision", text("allowed"));
        assertThat(answer.getDocument("permission"))
                .containsEntry("_id", text("first"))
                .containsEntry("role", text("editor"));
        assertThat(answer.getDocument("grant").getDocument("readFilter")).containsEntry("owner", text("ada"));
    }

    @Test
    void root_is_told_the_first_part_of_each_predicate_that_failed() {
        var answer = check("admin", "{\"method\": \"DELETE\", \"path\": \"/books/1\", \"as\": \"ada\"}");
        assertThat(answer).containsEntry("decision", text("refused"));
        assertThat(answer.getInt32("status").getValue()).isEqualTo(403);
        assertThat(tried(answer, 0))
                .containsEntry("_id", text("first"))
                .containsEntry("failed", text("method(GET) or method(PATCH)"));
        assertThat(tried(answer, 1)).containsEntry("failed", text("path('/books')"));
    }

    @Test
    void content_and_parameters_of_the_question_count() {
        var question = "{\"method\": \"POST\", \"path\": \"/books\", \"as\": \"ada\", \"body\": {\"kind\": \"%s\"}}";
        assertThat(check("admin", question.formatted("novel"))).containsEntry("decision", text("allowed"));
        var refused = check("admin", question.formatted("essay"));
        assertThat(tried(refused, 1))
                .containsEntry("failed", text("bson-request-prop-equals(key=kind, value='novel')"));
        assertThat(check("admin", "{\"path\": \"/books?secretparam=1\", \"as\": \"ada\"}"))
                .containsEntry("decision", text("refused"));
        assertThat(check("admin", "{\"path\": \"/books\", \"query\": \"secretparam=1\", \"as\": \"ada\"}"))
                .containsEntry("decision", text("refused"));
    }

    @Test
    void flags_that_a_permission_lacks_are_named() {
        var answer = check("bob", "{\"method\": \"DELETE\", \"path\": \"/books/*?filter={}\"}");
        assertThat(answer).containsEntry("decision", text("refused"));
        assertThat(tried(answer, 0).getArray("missing")).containsExactly(text("allowBulkDelete"));
    }

    @Test
    void roles_without_a_permission_are_named() {
        assertThat(check("admin", "{\"path\": \"/books\", \"roles\": [\"editr\"]}"))
                .containsEntry("reason", text("there is no permission for editr"));
        assertThat(check("admin", "{\"method\": \"DELETE\", \"path\": \"/books/1\", \"as\": \"ada\"}"))
                .doesNotContainKey("reason");
    }

    @Test
    void others_are_told_of_themselves_and_nothing_that_rules_say() {
        var allowed = check("ada", "{\"path\": \"/books/1\"}");
        assertThat(allowed).containsEntry("decision", text("allowed"));
        assertThat(allowed.getDocument("grant")).containsEntry("readFilter", BsonBoolean.TRUE);
        var refused = check("ada", "{\"method\": \"DELETE\", \"path\": \"/books/1\", \"as\": \"ada\"}");
        assertThat(refused).containsEntry("decision", text("refused"));
        assertThat(allowed.toJson() + refused.toJson())
                .doesNotContain("first", "second", "owner", "secretparam", "novel", "cost", "path");
        for (var other : new String[] {"\"as\": \"bob\"", "\"as\": \"nobody\"", "\"roles\": [\"viewer\"]"}) {
            var answer = gateway.as("ada").post("/_access/check", "{\"path\": \"/books\", " + other + "}");
            assertStatus(403, answer);
        }
        assertStatus(403, gateway.as("ada").get("/_access?as=bob"));
        assertStatus(401, gateway.anonymous().post("/_access/check", "{\"path\": \"/books\"}"));
    }

    @Test
    void nothing_is_carried_out_and_what_is_there_makes_no_difference() {
        check("admin", "{\"method\": \"DELETE\", \"path\": \"/books/1\"}");
        assertThat(gateway.collection("books").countDocuments()).isEqualTo(2);
        assertThat(check("ada", "{\"path\": \"/books/2\"}")).isEqualTo(check("ada", "{\"path\": \"/books/none\"}"));
        assertThat(check("ada", "{\"path\": \"/acl\"}").getArray("trace"))
                .isEqualTo(check("ada", "{\"path\": \"/nope\"}").getArray("trace"));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /books, ada", "GET, /books/1, bob", "PUT, /books, bob", "PATCH, /books/1, ada", "DELETE, /books/1, ada",
        "GET, /acl, ada", "GET, /metrics, bob", "GET, /ping, ada", "POST, /books, ada", "GET, /_size, ada"
    })
    void the_answer_is_that_of_the_door(String method, String path, String account) {
        var answer = check(
                "admin",
                "{\"method\": \"%s\", \"path\": \"%s\", \"as\": \"%s\", \"body\": {\"x\": 1}}"
                        .formatted(method, path, account));
        var real = gateway.as(account).send(method, path, method.equals("GET") ? "" : "{\"x\": 1}");
        assertThat(answer.getString("decision").getValue()).isEqualTo(real.statusCode() == 403 ? "refused" : "allowed");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_overview_says_what_requests_get(long seed) {
        var random = new Random(seed);
        var collections = List.of("books", "users", "acl");
        var resources = new HashMap<String, BsonDocument>();
        var decided = new HashMap<String, Integer>();
        try {
            for (int i = 0; i < 4; i++) {
                var predicate = RandomRules.pick(
                        random,
                        "path-prefix('/%s')",
                        "path-prefix('/%s') and not method(DELETE)",
                        "path-prefix('/%s') and method(GET)",
                        "path-template('/%s/{id}')",
                        "path('/%s') and qparams-blacklist(sort)");
                gateway.permit("{_id: 'random-%d', roles: ['viewer'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                        .formatted(
                                i,
                                i,
                                predicate.formatted(collections.get(random.nextInt(3))),
                                RandomRules.grant(random, false)));
            }
            for (var asker : List.of("admin", "bob")) {
                resources.clear();
                BsonDocument.parse(gateway.as(asker).get("/_access").body())
                        .getArray("resources")
                        .forEach(resource -> resources.put(
                                resource.asDocument().getString("path").getValue(),
                                resource.asDocument().getDocument("operations")));
                decided.put(asker, 0);
                for (var collection : collections) {
                    var operations = resources.getOrDefault("/" + collection, new BsonDocument());
                    expect(operations, "aggregate", asker, "POST", "/" + collection + "/_aggrs", "{\"stages\": []}");
                    expect(operations, "read", asker, "GET", "/" + collection, "");
                    expect(operations, "update", asker, "PATCH", "/" + collection + "/none", "{\"x\": 1}");
                    expect(operations, "delete", asker, "DELETE", "/" + collection + "/none", "");
                    var bulk = "/" + collection + "/*?filter=%7B%22_id%22%3A%22none%22%7D";
                    expect(operations, "bulkUpdate", asker, "PATCH", bulk, "{\"x\": 1}");
                    expect(operations, "bulkDelete", asker, "DELETE", bulk, "");
                    for (var operation : List.of("aggregate", "read", "update", "delete", "bulkUpdate", "bulkDelete")) {
                        var said = operations.getString(operation, new BsonString("no"));
                        decided.merge(asker, said.equals(text("depends")) ? 0 : 1, Integer::sum);
                    }
                }
            }
            assertThat(decided.values()).as("answers other than depends, of 18").allMatch(number -> number > 12);
        } finally {
            gateway.collection("acl").deleteMany(BsonDocument.parse("{_id: /^random/}"));
        }
    }

    private static void expect(
            BsonDocument operations, String operation, String asker, String method, String path, String content) {
        var said = operations.getString(operation, new BsonString("no")).getValue();
        var answer = gateway.as(asker).send(method, path, content);
        assertThat(answer.statusCode()).as(answer.body()).isLessThan(500);
        if (!said.equals("depends")) {
            assertThat(answer.statusCode() == 403 ? "no" : "yes")
                    .as("%s: %s %s by %s: %s", operation, method, path, asker, answer.body())
                    .isEqualTo(said);
        }
    }

    @Test
    void restrictions_of_documents_and_fields_are_named_for_each_operation() {
        gateway.permit("{_id: 'tellers', roles: ['teller'], predicate: \"path-prefix('/books')\", mongo: {readFilter:"
                + " {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, projectResponse: {cost: 0}}}");
        var resources = BsonDocument.parse(
                        gateway.as("admin").get("/_access?roles=teller").body())
                .getArray("resources");
        var books = resources.stream()
                .map(BsonValue::asDocument)
                .filter(one -> one.containsValue(text("/books")))
                .findFirst()
                .orElseThrow();
        assertThat(books.getDocument("operations"))
                .containsEntry("read", text("yes"))
                .containsEntry("create", text("yes"));
        assertThat(books.getDocument("limits"))
                .containsEntry("read", new BsonArray(List.of(text("projectResponse"), text("readFilter"))))
                .containsEntry("delete", new BsonArray(List.of(text("writeFilter"))))
                .doesNotContainKeys("create", "manage");
        assertThat(gateway.as("admin").get("/_access").body()).doesNotContain("limits");
    }

    @Test
    void root_asks_what_an_account_may_do() {
        var answer =
                BsonDocument.parse(gateway.as("admin").get("/_access?as=bob").body());
        assertThat(answer).containsEntry("account", text("bob"));
        assertThat(answer.getArray("resources")).hasSize(1);
        assertStatus(400, gateway.as("admin").get("/_access?as=nobody"));
    }

    @Test
    void those_who_see_them_are_told_which_collections_hold_accounts_and_permissions() {
        assertThat(gateway.as("admin").get("/_access").body())
                .contains("\"holds\": \"accounts\"", "\"holds\": \"permissions\"");
        assertThat(gateway.as("ada").get("/_access").body())
                .contains("\"resources\"")
                .doesNotContain("holds");
    }

    @Test
    void a_permission_is_looked_at_before_it_is_stored() {
        assertThat(parse("{\"predicate\": \"path('/books') and method(GET)\"}")).containsEntry("ok", BsonBoolean.TRUE);
        var wrong = parse("{\"predicate\": \"path('/books') and methd(GET)\"}");
        assertThat(wrong.getInt32("position").getValue()).isEqualTo(19);
        assertThat(wrong.getString("error").getValue()).contains("methd");
        assertThat(parse("{\"predicate\": \"true\", \"mongo\": {\"projectResponse\": {\"a\": 1, \"b\": 0}}}"))
                .containsKey("error");
        assertThat(parse("{}")).containsKey("error");
        assertStatus(400, gateway.as("ada").post("/_access/parse", "["));
        assertStatus(405, gateway.as("ada").get("/_access/parse"));
        assertStatus(404, gateway.as("ada").get("/_access/else"));
    }

    private static BsonDocument parse(String content) {
        return BsonDocument.parse(
                gateway.as("ada").post("/_access/parse", content).body());
    }
}
