package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.error;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.json;
import static org.restheart.core.mcp.McpClient.names;
import static org.restheart.core.mcp.McpClient.text;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The Model Context Protocol with writing switched on, at two gateways of one key.
@WithMongo
class McpWritesTest {
    private static final String ELICITS = "\"elicitation\": {}";

    @AutoClose
    private static TestGateway gateway;

    @AutoClose
    private static TestGateway strict;

    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        var mcp = "mcp: {enabled: true, read-only: false, calls-per-minute: 100000%s}\n";
        gateway = TestGateway.start(mongo, mcp.formatted(""));
        strict = TestGateway.start(mongo, mcp.formatted(", require-elicitation: true"));
        db = gateway.database().getName();
        gateway.permit("{_id: 'own', roles: ['editor'], predicate: \"path-prefix('/own')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, writeFilter: {owner: '@user._id'},"
                + " mergeRequest: {owner: '@user._id'}, projectResponse: {secret: 0}, allowBulkPatch: true,"
                + " allowBulkDelete: true, allowWriteMode: true}}");
        gateway.permit("{_id: 'blind', roles: ['editor'], predicate: \"path-prefix('/blind')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, allowBulkPatch: true, allowBulkDelete: true}}");
        gateway.permit("{_id: 'see', roles: ['viewer'], predicate: \"method(GET) and path-prefix('/own')\"}");
    }

    @BeforeEach
    void fill() {
        gateway.collection("own").drop();
        for (int i = 0; i < 6; i++) {
            gateway.insert("own", "{_id: %d, owner: '%s', n: %d}".formatted(i, i % 2 == 0 ? "ada" : "bob", i));
        }
    }

    private static String in(String collection, String more) {
        return "{\"database\": \"%s\", \"collection\": \"%s\", %s}".formatted(db, collection, more.replace('\'', '"'));
    }

    private static BsonDocument call(String who, String tool, String more) {
        return new McpClient(gateway.as(who)).call(tool, in("own", more));
    }

    private static BsonDocument numbers(BsonDocument result) {
        assertThat(isError(result)).as(result.toJson()).isFalse();
        return result.getDocument("structuredContent");
    }

    private static long count(String filter) {
        return gateway.collection("own").countDocuments(BsonDocument.parse(filter));
    }

    @Test
    void tools_that_write_are_listed_for_those_who_may() {
        assertThat(names(new McpClient(gateway.as("ada"))
                        .result("tools/list", "{}")
                        .getArray("tools")))
                .contains("insert-many", "update-many", "delete-many", "update-document");
        assertThat(names(new McpClient(gateway.as("bob"))
                        .result("tools/list", "{}")
                        .getArray("tools")))
                .doesNotContain("insert-many", "update-many", "delete-many", "update-document");
        var all = new McpClient(gateway.as("admin")).result("tools/list", "{}").getArray("tools");
        assertThat(new BsonDocument("tools", all).toJson().length()).isLessThan(8_192);
        assertThat(isError(call("bob", "insert-many", "'documents': [{'n': 9}]")))
                .isTrue();
    }

    @Test
    void inserts_get_what_the_rule_sets() {
        var one = numbers(
                call("ada", "insert-many", "'documents': [{'_id': 'x', 'n': {'$date': '2026-01-31T00:00:00Z'}}]"));
        assertThat(one.getArray("ids")).containsExactly(new BsonString("x"));
        var some = numbers(call("ada", "insert-many", "'documents': [{'_id': 'y'}, {'_id': 'x'}, {'_id': 'z'}]"));
        assertThat(some.getNumber("inserted").intValue()).isEqualTo(2);
        assertThat(some.getArray("refused")).hasSize(1);
        assertThat(count("{_id: {$in: ['x', 'y', 'z']}, owner: 'ada'}")).isEqualTo(3);
        assertThat(count("{n: {$type: 'date'}}")).isEqualTo(1);
    }

    @Test
    void deletions_are_confirmed_by_a_second_call() {
        var filter = "'filter': {'n': {'$gte': 2}}";
        var asked = call("ada", "delete-many", filter);
        assertThat(text(asked)).contains("Delete 2 documents").contains("Nothing has been written");
        assertThat(count("{}")).isEqualTo(6);
        var token =
                asked.getDocument("structuredContent").getString("confirmation").getValue();
        var confirmed = ", 'confirmation': '" + token + "'";
        assertThat(isError(call("ada", "delete-many", "'filter': {'n': {'$gte': 0}}" + confirmed)))
                .isTrue();
        assertThat(isError(call("admin", "delete-many", filter + confirmed))).isTrue();
        assertThat(isError(call("ada", "update-many", filter + ", 'update': {'$set': {'a': 1}}" + confirmed)))
                .isTrue();
        gateway.insert("own", "{_id: 8, owner: 'ada', n: 8}");
        assertThat(isError(call("ada", "delete-many", filter + confirmed)))
                .as("more match than were confirmed")
                .isTrue();
        assertThat(count("{}")).isEqualTo(7);
        gateway.collection("own").deleteOne(BsonDocument.parse("{_id: 8}"));
        assertThat(numbers(call("ada", "delete-many", filter + confirmed))
                        .getNumber("deleted")
                        .intValue())
                .isEqualTo(2);
        assertThat(count("{owner: 'bob'}")).isEqualTo(3);
        assertThat(text(call("ada", "delete-many", filter + confirmed))).contains("has been used");
    }

    /// Who reads less than he writes is not told a number that is too small.
    @Test
    void documents_that_the_caller_does_not_see_are_not_left_out_of_the_question() {
        gateway.insert("blind", "{_id: 1, owner: 'ada', n: 1}", "{_id: 2, owner: 'bob', n: 1}");
        for (var more : new String[] {
            "'filter': {'n': 1}, 'update': {'$set': {'a': 1}}", "'filter': {'n': 1}", "'filter': {'_id': 2}"
        }) {
            var tool = more.contains("update") ? "update-many" : "delete-many";
            var asked = new McpClient(gateway.as("ada")).call(tool, in("blind", more));
            assertThat(text(asked)).contains("an unknown number of documents", "Nothing has been written");
        }
        assertThat(gateway.collection("blind").countDocuments(BsonDocument.parse("{a: {$exists: false}}")))
                .isEqualTo(2);
    }

    @Test
    void deletions_are_confirmed_by_the_user_of_a_client_that_can_ask() {
        var ada = new McpClient(gateway.as("ada"));
        var arguments = in("own", "'filter': {'_id': 2}");
        var asked = ada.call("delete-many", arguments, ELICITS, "{}");
        assertThat(asked.getString("resultType").getValue()).isEqualTo("input_required");
        var question = asked.getDocument("inputRequests").getDocument("confirm");
        assertThat(question.getString("method").getValue()).isEqualTo("elicitation/create");
        assertThat(question.getDocument("params").getString("message").getValue())
                .contains("Delete 1 documents", "own", "\"_id\"");
        var state = asked.getString("requestState").getValue();
        var answer = "{\"requestState\": \"" + state + "\", \"inputResponses\": {\"confirm\": {\"action\": \"%s\"}}}";
        var declined = ada.call("delete-many", arguments, ELICITS, answer.formatted("decline"));
        assertThat(text(declined)).contains("did not agree");
        assertThat(count("{}")).isEqualTo(6);
        var asToken = in("own", "'filter': {'_id': 2}, 'confirmation': '" + state + "'");
        assertThat(isError(ada.call("delete-many", asToken))).isTrue();
        var accepted = ada.call("delete-many", arguments, ELICITS, answer.formatted("accept"));
        assertThat(numbers(accepted).getNumber("deleted").intValue()).isEqualTo(1);
        assertThat(count("{}")).isEqualTo(5);
        assertThat(isError(ada.call("delete-many", arguments, ELICITS, answer.formatted("accept"))))
                .isTrue();
    }

    @Test
    void a_strict_server_takes_only_the_users_word() {
        strict.insert("own", "{_id: 1}");
        var client = new McpClient(strict.as("admin"));
        var arguments = "{\"database\": \"%s\", \"collection\": \"own\", \"filter\": {\"_id\": 1}}"
                .formatted(strict.database().getName());
        var refused = client.call("delete-many", arguments);
        assertThat(isError(refused)).isTrue();
        assertThat(text(refused)).contains("elicitation");
        assertThat(client.call("delete-many", arguments, ELICITS, "{}")
                        .getString("resultType")
                        .getValue())
                .isEqualTo("input_required");
    }

    @Test
    void changes_of_many_are_confirmed_and_those_of_one_are_not() {
        var update = ", 'update': {'$set': {'m': 1}}";
        assertThat(numbers(call("ada", "update-many", "'filter': {'_id': 2}" + update))
                        .getNumber("modified")
                        .intValue())
                .isEqualTo(1);
        assertThat(numbers(call("ada", "update-many", "'filter': {'n': 4}" + update))
                        .getNumber("matched")
                        .intValue())
                .isEqualTo(1);
        assertThat(numbers(call("ada", "update-many", "'filter': {'_id': 3}" + update))
                        .getNumber("matched")
                        .intValue())
                .as("another's document")
                .isZero();
        var asked = call("ada", "update-many", "'filter': {'n': {'$gte': 0}}" + update);
        var token =
                asked.getDocument("structuredContent").getString("confirmation").getValue();
        assertThat(count("{m: 1}")).isEqualTo(2);
        var changed = call(
                "ada", "update-many", "'filter': {'n': {'$gte': 0}}" + update + ", 'confirmation': '" + token + "'");
        assertThat(numbers(changed).getNumber("matched").intValue()).isEqualTo(3);
        assertThat(count("{m: 1}")).isEqualTo(3);
        assertThat(isError(call("ada", "update-many", "'filter': {}" + update))).isTrue();
        assertThat(isError(call("ada", "update-many", "'filter': {'_id': 2}, 'update': {'m': 1}")))
                .isTrue();
    }

    @Test
    void a_document_that_has_changed_since_it_was_read_is_not_changed() {
        call("ada", "update-many", "'filter': {'_id': 2}, 'update': {'$set': {'m': 1}}");
        var read =
                McpClient.documents(call("ada", "find", "'filter': {'_id': 2}")).getFirst();
        var tag = read.getObjectId("_etag").getValue().toHexString();
        var update = "'id': 2, 'update': {'$inc': {'n': 1}}, 'etag': '" + tag + "'";
        assertThat(numbers(call("ada", "update-document", update))
                        .getNumber("modified")
                        .intValue())
                .isEqualTo(1);
        var late = call("ada", "update-document", update);
        assertThat(isError(late)).isTrue();
        assertThat(text(late)).contains("has changed since");
        assertThat(count("{_id: 2, n: 3}")).isEqualTo(1);
        assertThat(text(call("ada", "update-document", "'id': 3, 'update': {'$inc': {'n': 1}}, 'etag': '" + tag + "'")))
                .isIn(
                        "there is no such document, or no permission",
                        "the document has changed since: read it again and use its new _etag");
    }

    @Test
    void accounts_and_permissions_are_never_written() {
        for (var collection : new String[] {"users", "acl"}) {
            for (var call : new String[][] {
                {"insert-many", "'documents': [{'_id': 'evil'}]"},
                {"update-many", "'filter': {'_id': 'ada'}, 'update': {'$set': {'roles': ['admin']}}"},
                {"delete-many", "'filter': {'_id': 'ada'}"},
                {"update-document", "'id': 'ada', 'update': {'$set': {'a': 1}}, 'etag': '0123456789abcdef01234567'"}
            }) {
                var refused = new McpClient(gateway.as("admin")).call(call[0], in(collection, call[1]));
                assertThat(isError(refused)).as(collection + " " + call[0]).isTrue();
                assertThat(text(refused)).startsWith("accounts, permissions and keys");
            }
        }
    }

    @Test
    void only_tools_that_are_named_exist(TestMongo mongo) {
        try (var narrow = TestGateway.start(mongo, "mcp: {enabled: true, tools: [run-aggregation, count]}\n")) {
            narrow.insert("c", "{_id: 1}");
            var admin = new McpClient(narrow.as("admin"));
            assertThat(names(admin.result("tools/list", "{}").getArray("tools")))
                    .containsExactly("count", "run-aggregation");
            assertThat(error(admin.send("tools/call", "{\"name\": \"find\"}"))
                            .getInt32("code")
                            .getValue())
                    .isEqualTo(-32602);
        }
    }

    /// The permission of the write applies only with its parameters and content.
    @Test
    void a_rule_for_these_parameters_alone_counts_for_the_question() {
        gateway.permit("{_id: 'narrow1', roles: ['editor'], predicate: \"path-prefix('/narrow') and method(GET)\","
                + " mongo: {readFilter: {owner: '@user._id'}}}");
        gateway.permit("{_id: 'narrow2', roles: ['editor'], predicate: \"path('/narrow/*') and method(PATCH, DELETE)"
                + " and qparams-contain(filter)\", mongo: {writeFilter: {locked: {$ne: true}}, allowBulkPatch: true,"
                + " allowBulkDelete: true}}");
        gateway.insert("narrow", "{_id: 1, owner: 'ada', n: 1}", "{_id: 2, owner: 'bob', n: 1}");
        for (var more : new String[] {"'filter': {'n': 1}, 'update': {'$set': {'a': 1}}", "'filter': {'n': 1}"}) {
            var tool = more.contains("update") ? "update-many" : "delete-many";
            var asked = new McpClient(gateway.as("ada")).call(tool, in("narrow", more));
            assertThat(text(asked)).contains("an unknown number of documents", "Nothing has been written");
        }
        assertThat(gateway.collection("narrow").countDocuments(BsonDocument.parse("{a: {$exists: false}}")))
                .isEqualTo(2);
    }

    @Test
    void another_credential_of_an_account_has_no_calls_of_its_own(TestMongo mongo) {
        var more = "mcp: {enabled: true, calls-per-minute: 3}\njwtTokenManager: {enabled: true}\n"
                + "jwtConfigProvider: {key: 'a key of more than thirty-two characters'}\n"
                + "jwtAuthenticationMechanism: {enabled: true}\n";
        try (var bounded = TestGateway.start(mongo, more)) {
            var token = BsonDocument.parse(
                            bounded.as("admin").post("/token", "").body())
                    .getString("access_token")
                    .getValue();
            var password = new McpClient(bounded.as("admin"));
            var bearer = new McpClient(bounded.anonymous().with("Authorization", "Bearer " + token));
            boolean refused = false;
            for (int attempt = 0; attempt < 2 && !refused; attempt++) { // a minute may end on the way, not two
                for (int i = 0; i < 4; i++) {
                    password.call("list-databases", "{}");
                }
                refused = isError(bearer.call("list-databases", "{}"));
            }
            assertThat(refused).isTrue();
        }
    }

    @Test
    void calls_in_a_minute_are_bounded(TestMongo mongo) {
        try (var bounded = TestGateway.start(mongo, "mcp: {enabled: true, calls-per-minute: 3}\n")) {
            var admin = new McpClient(bounded.as("admin"));
            boolean refused = false;
            for (int i = 0; i < 8 && !refused; i++) { // a minute may end on the way, not two
                var result = admin.call("list-databases", "{}");
                refused = isError(result);
                assertThat(!refused || text(result).contains("wait")).isTrue();
            }
            assertThat(refused).isTrue();
        }
    }

    @Test
    void lists_in_a_minute_are_bounded(TestMongo mongo) {
        try (var bounded = TestGateway.start(mongo, "mcp: {enabled: true, calls-per-minute: 3}\n")) {
            var admin = new McpClient(bounded.as("admin"));
            boolean refused = false;
            for (int i = 0; i < 8 && !refused; i++) { // as above
                var response = admin.send(i % 2 == 0 ? "tools/list" : "resources/list", "{}");
                refused = json(response).containsKey("error");
                assertThat(!refused || response.body().contains("calls in a minute: wait"))
                        .isTrue();
            }
            assertThat(refused).isTrue();
            assertThat(isError(admin.call("list-databases", "{}")))
                    .as("calls are counted by themselves")
                    .isFalse();
        }
    }
}
