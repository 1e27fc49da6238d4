package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import java.net.http.HttpResponse;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.mcp.McpClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The outcome of a bulk write is the same, whichever way it was requested, and tells nothing of hidden fields.
@WithMongo
class BulkSecrecyTest {
    @AutoClose
    private static TestGateway gateway;

    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
                dataApi: {enabled: true}
                mcp: {enabled: true, read-only: false, confirm: false, calls-per-minute: 100000}
                """);
        db = gateway.database().getName();
        gateway.permit("{_id: 'hides', roles: ['editor'], predicate: \"path-prefix('/b')\", mongo:"
                + " {projectResponse: {secret: 0}, allowBulkPatch: true, allowWriteMode: true}}");
        gateway.permit("{_id: 'all', roles: ['viewer'], predicate: \"path-prefix('/b')\", mongo:"
                + " {allowBulkPatch: true, allowWriteMode: true}}");
    }

    @BeforeEach
    void fill() {
        gateway.collection("b").drop();
        gateway.insert("b", "{_id: 1, title: 'one', secret: 'guessed', email: 'a@x'}");
        gateway.insert("b", "{_id: 2, title: 'two', secret: 'other', email: 'b@x'}");
        gateway.collection("b").createIndex(BsonDocument.parse("{email: 1}"), new IndexOptions().unique(true));
    }

    private static HttpResponse<String> act(String who, String action, String members) {
        return gateway.as(who)
                .post(
                        "/app/any/endpoint/data/v1/action/" + action,
                        "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"b\", %s}"
                                .formatted(db, members.replace('\'', '"')));
    }

    private static BsonDocument tool(String who, String tool, String members) {
        return new McpClient(gateway.as(who))
                .call(tool, "{database: '%s', collection: 'b', %s}".formatted(db, members));
    }

    private static void expect(HttpResponse<String> answer, int status, String json) {
        assertStatus(status, answer);
        assertThat(BsonDocument.parse(answer.body())).isEqualTo(BsonDocument.parse(json));
    }

    @Test
    void a_guess_at_a_hidden_field_is_always_a_change() {
        for (var guess : new String[] {"guessed", "wrong"}) {
            fill();
            expect(
                    act(
                            "ada",
                            "updateMany",
                            "'filter': {'title': 'one'}, 'update': {'$set': {'secret': '" + guess + "'}}"),
                    200,
                    "{matchedCount: 1, modifiedCount: 1}");
            fill();
            var called =
                    tool("ada", "update-many", "filter: {title: 'one'}, update: {$set: {secret: '" + guess + "'}}");
            assertThat(called.getDocument("structuredContent"))
                    .isEqualTo(BsonDocument.parse("{matched: 1, modified: 1}"));
            assertThat(text(called)).startsWith("Changed 1 of 1");
        }
    }

    @Test
    void callers_who_see_everything_are_told_what_was_modified() {
        expect(
                act("bob", "updateMany", "'filter': {}, 'update': {'$set': {'secret': 'guessed'}}"),
                200,
                "{matchedCount: 2, modifiedCount: 1}");
    }

    @Test
    void a_bulk_change_that_fails_is_refused_with_the_published_error() {
        var failing = "'filter': {'_id': {'$gt': 0}}, 'update': {'$inc': {'title': 1}}";
        var told = act("bob", "updateMany", failing);
        assertStatus(400, told);
        assertThat(told.body())
                .contains("MongoDBError")
                .contains("Failed to update")
                .contains("non-numeric");
        var withheld = act("ada", "updateMany", failing);
        assertStatus(400, withheld);
        assertThat(withheld.body())
                .contains("MongoDBError")
                .contains("MongoDB error 14")
                .doesNotContain("one");

        for (var who : new String[] {"ada", "bob"}) {
            var called = tool(who, "update-many", "filter: {_id: {$gt: 0}}, update: {$inc: {title: 1}}");
            assertThat(isError(called)).isTrue();
            assertThat(text(called)).contains("MongoDB error 14").doesNotContain("one'");
        }
    }

    @Test
    void a_conflict_of_a_bulk_change_is_a_duplicate_key() {
        var conflict = "'filter': {'title': 'one'}, 'update': {'$set': {'email': 'b@x'}}";
        var told = act("bob", "updateMany", conflict);
        assertStatus(400, told);
        assertThat(told.body()).contains("E11000 duplicate key error: dup key");
        var withheld = act("ada", "updateMany", conflict);
        assertStatus(400, withheld);
        assertThat(withheld.body()).contains("E11000 duplicate key error").doesNotContain("dup key");

        var called = tool("ada", "update-many", "filter: {title: 'one'}, update: {$set: {email: 'b@x'}}");
        assertThat(isError(called)).isTrue();
        assertThat(text(called)).contains("Duplicate key error").doesNotContain("dup key");
    }

    @Test
    void errors_of_single_documents_quote_nothing_that_is_hidden() {
        var documents = "'documents': [{'_id': 3, 'email': 'c@x'}, {'_id': 4, 'email': 'b@x'}]";
        var told = act("bob", "insertMany", documents);
        assertThat(told.body()).contains("document 1: E11000 duplicate key error: dup key");
        gateway.collection("b").deleteOne(BsonDocument.parse("{_id: 3}"));
        var withheld = act("ada", "insertMany", documents);
        assertStatus(400, withheld);
        assertThat(withheld.body())
                .contains("document 1: E11000 duplicate key error")
                .doesNotContain("dup key");
    }

    @Test
    void errors_of_lines_quote_nothing_that_is_hidden() {
        var line = "{\"_id\": 5, \"email\": \"b@x\"}\n";
        var told =
                gateway.as("bob").with("Content-Type", "application/x-ndjson").send("POST", "/b", line);
        assertStatus(207, told);
        assertThat(told.body()).contains("dup key");
        var withheld =
                gateway.as("ada").with("Content-Type", "application/x-ndjson").send("POST", "/b", line);
        assertStatus(207, withheld);
        assertThat(withheld.body()).contains("11000").doesNotContain("dup key");
    }
}
