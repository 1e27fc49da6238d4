package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.UUID;
import java.util.concurrent.Executors;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a caller can do with a transaction of its own that it could not do without.
@WithMongo
@Timeout(60)
class TransactionAttacksTest {
    private static final String PATTERN = "^(.+)@(.+)!$";

    /// Against which [#PATTERN] takes seconds to check many texts.
    private static final String TEXTS = "[" + ("\"" + "@".repeat(1_500) + "\",").repeat(10) + "\"\"]";

    private static TestGateway gateway;
    private static TestClient eve;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers("eve", "kim");
        gateway.permit(
                "eve",
                "path-prefix('/forms') or path-prefix('/_sessions')",
                "{allowBulkPatch: true, allowWriteMode: true}");
        gateway.permit(
                "kim",
                "path-prefix('/tasks') or path-prefix('/_sessions')",
                "{checkWritten: true, writeFilter: {owner: '@user._id', "
                        + TestGateway.slowFilter(300_000).substring(1) + "}");
        var admin = gateway.as("admin");
        admin.put("/_schemas", "{}");
        assertThat(admin.post("/_schemas", """
                        {"_id": "form", "properties":
                          {"texts": {"type": "array", "items": {"type": "string", "pattern": "%s"}}}}""".formatted(PATTERN)).statusCode()).isEqualTo(201);
        assertThat(admin.put("/forms", "{\"jsonSchema\": {\"schemaId\": \"form\"}}")
                        .statusCode())
                .isEqualTo(201);
        eve = gateway.user("eve");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void fill() {
        gateway.collection("forms").deleteMany(new BsonDocument());
        gateway.insert("forms", "{_id: 'f'}");
        gateway.collection("tasks").deleteMany(new BsonDocument());
        gateway.insert("tasks", "{_id: 't', owner: 'kim'}");
    }

    private static String begun(TestClient client) {
        var session = UUID.randomUUID();
        var begun = client.post("/_sessions/" + session + "/_txns", "");
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(201);
        return session.toString();
    }

    /// Changes a document within a transaction, and commits as soon as the transaction has the change.
    private static void commitWhileChanging(TestClient client, String change, String content, String read, String sign)
            throws Exception {
        var session = begun(client);
        var within = "sid=" + session + "&txn=1";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var changing = threads.submit(() -> client.patch(change + within, content));
            while (!changing.isDone() && !client.get(read + within).body().contains(sign)) {
                Thread.onSpinWait();
            }
            client.send("PATCH", "/_sessions/" + session + "/_txns/1", "");
            assertThat(changing.get().statusCode()).isNotIn(200, 207);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forms/f?", "/forms/*?filter=%7B%22_id%22%3A%22f%22%7D&"})
    void a_change_is_not_committed_before_it_is_checked(String target) throws Exception {
        commitWhileChanging(eve, target, "{\"texts\": " + TEXTS + "}", "/forms/f?", "texts");
        assertThat(gateway.stored("forms", "f").keySet()).doesNotContain("texts");
    }

    @Test
    void an_insert_by_a_change_is_not_committed_before_it_is_checked() throws Exception {
        commitWhileChanging(eve, "/forms/new?wm=upsert&", "{\"texts\": " + TEXTS + "}", "/forms/new?", "texts");
        assertThat(gateway.collection("forms").countDocuments(BsonDocument.parse("{_id: 'new'}")))
                .isZero();
    }

    @Test
    void a_document_does_not_leave_what_a_permission_covers_by_a_commit() throws Exception {
        var kim = gateway.user("kim");
        commitWhileChanging(kim, "/tasks/t?", "{\"owner\": \"bob\"}", "/tasks/t?", "bob");
        assertThat(gateway.stored("tasks", "t").getString("owner").getValue()).isEqualTo("kim");
    }

    /// In batches of 100, the first of which is valid.
    @Test
    void an_error_in_a_later_batch_leaves_nothing_of_earlier_ones() {
        for (int i = 0; i <= 100; i++) {
            gateway.insert("forms", "{_id: 'd%03d', n: %s}".formatted(i, i == 100 ? "'x'" : "1"));
        }
        var session = begun(eve);
        var all = "/forms/*?filter=" + encode("{\"_id\": {\"$regex\": \"^d\"}}") + "&sid=" + session + "&txn=1";
        var changed = eve.patch(all, "{\"$inc\": {\"n\": 1}}");
        assertStatus(207, changed);
        assertThat(changed.body()).contains("\"modified\": 0", "\"matched\": 0", "$inc");
        eve.send("PATCH", "/_sessions/" + session + "/_txns/1", "");
        assertThat(gateway.collection("forms").countDocuments(BsonDocument.parse("{n: 2}")))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"/forms/g?|{\"$inc\": {\"s\": 1}}|400", "/forms/g?wm=insert&|{\"n\": 1}|409"})
    void a_change_that_fails_ends_its_transaction(String target, String change, int status) {
        gateway.insert("forms", "{_id: 'g', s: 'x'}");
        var session = begun(eve);
        var within = "sid=" + session + "&txn=1";
        assertStatus(200, eve.patch("/forms/f?" + within, "{\"n\": 1}"));
        assertStatus(status, eve.patch(target + within, change));
        eve.send("PATCH", "/_sessions/" + session + "/_txns/1", "");
        assertThat(gateway.stored("forms", "f").keySet()).doesNotContain("n");
    }

    @Test
    void checked_changes_within_a_transaction_are_made() {
        gateway.insert("forms", "{_id: 'g', n: 1, a: [{k: 1, v: 1}, {k: 2, v: 1}]}");
        var session = begun(eve);
        var within = "sid=" + session + "&txn=1";
        var all = "/forms/*?filter=" + encode("{\"n\": 1}") + "&" + within;
        assertThat(eve.patch("/forms/g?" + within, "{\"$inc\": {\"n\": 1}}").statusCode())
                .isEqualTo(200);
        assertThat(eve.patch("/forms/g?" + within, "{\"$inc\": {\"n\": -1}}").statusCode())
                .isEqualTo(200);
        var positional = "/forms/g?" + within + "&filter=" + encode("{\"a.k\": 2}");
        assertThat(eve.patch(positional, "{\"a.$.v\": 7}").statusCode()).isEqualTo(200);
        assertThat(eve.patch("/forms/new?wm=upsert&" + within, "{\"n\": 1}").statusCode())
                .isEqualTo(201);
        assertThat(eve.patch("/forms/none?" + within, "{\"n\": 1}").statusCode())
                .isEqualTo(404);
        var changed = eve.patch(all, "{\"$inc\": {\"n\": 1}}");
        assertThat(changed.body()).contains("\"modified\": 2", "\"matched\": 2");
        assertThat(gateway.stored("forms", "g").getInt32("n").getValue()).isEqualTo(1);
        assertThat(eve.send("PATCH", "/_sessions/" + session + "/_txns/1", "").statusCode())
                .isEqualTo(200);
        assertThat(gateway.stored("forms", "g").toJson()).contains("\"n\": 2", "{\"k\": 2, \"v\": 7}");
        assertThat(gateway.stored("forms", "new").getInt32("n").getValue()).isEqualTo(2);
        assertThat(gateway.database().listCollectionNames())
                .as("what was tried out")
                .noneMatch(name -> name.startsWith("_dry_runs"));
    }
}
