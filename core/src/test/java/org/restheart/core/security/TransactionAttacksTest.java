package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

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
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a caller can do with a transaction of its own that it could not do without.
@WithMongo
@Timeout(180)
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
              {"texts": {"type": "array", "items": {"type": "string", "pattern": "%s"}}}}\
            """.formatted(PATTERN)).statusCode()).isEqualTo(201);
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

    /// Changes a document within a transaction that is read and committed meanwhile: it never holds the change.
    private static void assertNotHeld(TestClient client, String change, String content, String read, String sign)
            throws Exception {
        var transaction = ClientTransaction.begin(client);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var changing = threads.submit(() -> client.patch(transaction.in(change), content));
            int reads = 0;
            while (!changing.isDone()) {
                assertThat(client.get(transaction.in(read)).body()).doesNotContain(sign);
                if (++reads == 3) {
                    transaction.commit();
                }
            }
            assertThat(reads).isPositive();
            assertThat(changing.get().statusCode()).isIn(400, 403);
            transaction.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forms/f", "/forms/*?filter=%7B%22_id%22%3A%22f%22%7D"})
    void a_change_is_not_committed_before_it_is_checked(String target) throws Exception {
        assertNotHeld(eve, target, "{\"texts\": " + TEXTS + "}", "/forms/f", "texts");
        assertThat(gateway.stored("forms", "f").keySet()).doesNotContain("texts");
    }

    @Test
    void an_insert_by_a_change_is_not_committed_before_it_is_checked() throws Exception {
        assertNotHeld(eve, "/forms/new?wm=upsert", "{\"texts\": " + TEXTS + "}", "/forms/new", "texts");
        assertThat(gateway.collection("forms").countDocuments(BsonDocument.parse("{_id: 'new'}")))
                .isZero();
    }

    @Test
    void a_document_does_not_leave_what_a_permission_covers_by_a_commit() throws Exception {
        var kim = gateway.user("kim");
        assertNotHeld(kim, "/tasks/t", "{\"owner\": \"bob\"}", "/tasks/t", "bob");
        assertThat(gateway.stored("tasks", "t").getString("owner").getValue()).isEqualTo("kim");
    }

    /// In batches of 100, the first of which is valid.
    @Test
    void an_error_in_a_later_batch_leaves_nothing_of_earlier_ones() {
        for (int i = 0; i <= 100; i++) {
            gateway.insert("forms", "{_id: 'd%03d', n: %s}".formatted(i, i == 100 ? "'x'" : "1"));
        }
        var transaction = ClientTransaction.begin(eve);
        var all = "/forms/*?filter=" + encode("{\"_id\": {\"$regex\": \"^d\"}}");
        var changed = eve.patch(transaction.in(all), "{\"$inc\": {\"n\": 1}}");
        assertStatus(207, changed);
        assertThat(changed.body()).contains("\"modified\": 0", "\"matched\": 0", "$inc");
        transaction.commit();
        assertThat(gateway.collection("forms").countDocuments(BsonDocument.parse("{n: 2}")))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"/forms/g|{\"$inc\": {\"s\": 1}}|400", "/forms/g?wm=insert|{\"n\": 1}|409"})
    void a_change_that_fails_ends_its_transaction(String target, String change, int status) {
        gateway.insert("forms", "{_id: 'g', s: 'x'}");
        var transaction = ClientTransaction.begin(eve);
        assertStatus(200, eve.patch(transaction.in("/forms/f"), "{\"n\": 1}"));
        assertStatus(status, eve.patch(transaction.in(target), change));
        transaction.commit();
        assertThat(gateway.stored("forms", "f").keySet()).doesNotContain("n");
    }

    @Test
    void checked_changes_within_a_transaction_are_made() {
        gateway.insert("forms", "{_id: 'g', n: 1, a: [{k: 1, v: 1}, {k: 2, v: 1}]}");
        var transaction = ClientTransaction.begin(eve);
        assertStatus(200, eve.patch(transaction.in("/forms/g"), "{\"$inc\": {\"n\": 1}}"));
        assertStatus(200, eve.patch(transaction.in("/forms/g"), "{\"$inc\": {\"n\": -1}}"));
        var positional = transaction.in("/forms/g?filter=" + encode("{\"a.k\": 2}"));
        assertStatus(200, eve.patch(positional, "{\"a.$.v\": 7}"));
        assertStatus(201, eve.patch(transaction.in("/forms/new?wm=upsert"), "{\"n\": 1}"));
        assertStatus(404, eve.patch(transaction.in("/forms/none"), "{\"n\": 1}"));
        var all = transaction.in("/forms/*?filter=" + encode("{\"n\": 1}"));
        var changed = eve.patch(all, "{\"$inc\": {\"n\": 1}}");
        assertThat(changed.body()).contains("\"modified\": 2", "\"matched\": 2");
        assertThat(gateway.stored("forms", "g").getInt32("n").getValue()).isEqualTo(1);
        assertStatus(200, transaction.commit());
        assertThat(gateway.stored("forms", "g").toJson()).contains("\"n\": 2", "{\"k\": 2, \"v\": 7}");
        assertThat(gateway.stored("forms", "new").getInt32("n").getValue()).isEqualTo(2);
        assertThat(gateway.database().listCollectionNames())
                .as("what was tried out")
                .noneMatch(name -> name.startsWith("_dry_runs"));
    }

    @Test
    void rules_that_list_parameters_do_not_count_those_that_the_gateway_adds() {
        gateway.addUsers("listed", "sized", "without", "joined");
        gateway.permit("listed", "path-prefix('/listed') and qparams-whitelist(filter)", "{}");
        gateway.permit("sized", "path-prefix('/listed') and qparams-size(0)", "{}");
        gateway.permit("without", "path-prefix('/listed') and qparams-blacklist(txn)", "{}");
        gateway.collection("listed").drop();
        gateway.insert("listed", "{_id: 'x', n: 1}");
        var change = "[{\"method\": \"PATCH\", \"path\": \"/listed/x$\", \"body\": {\"n\": 2}}]";
        assertStatus(200, gateway.user("listed").post("/_transactions", change.replace("$", "")));
        assertStatus(
                200,
                gateway.user("listed")
                        .post("/_transactions", change.replace("$", "?filter=" + encode("{\"n\":{\"$gt\":0}}"))));
        assertStatus(403, gateway.user("listed").post("/_transactions", change.replace("$", "?checkEtag=")));
        assertStatus(200, gateway.user("sized").post("/_transactions", change.replace("$", "")));
        assertStatus(
                403,
                gateway.user("sized")
                        .post("/_transactions", change.replace("$", "?filter=" + encode("{\"n\":{\"$gt\":0}}"))));
        assertStatus(403, gateway.user("without").post("/_transactions", change.replace("$", "")));
        var rehearsed = gateway.user("listed")
                .with("Prefer", "tx=rollback, return=representation")
                .patch("/listed/x", "{\"n\": 3}");
        assertStatus(200, rehearsed);
        assertThat(rehearsed.body()).contains("\"n\": 3");
        assertStatus(200, gateway.as("admin").patch("/listed", """
            {"rels": [{"rel": "self", "type": "ONE_TO_ONE", "role": "INVERSE", "target-coll": "listed", "ref-field": "_id"}]}\
            """));
        gateway.permit("joined", "path-prefix('/listed') and qparams-whitelist(embed)", "{}");
        var related = gateway.user("joined").post("/_transactions", """
            [{"method": "GET", "path": "/listed/x?embed=self"}]\
            """);
        assertStatus(200, related);
        assertThat(related.body()).contains("\"self\": {");
        var sent = "?sid=00000000-0000-4000-8000-000000000000&txn=1";
        assertStatus(403, gateway.user("listed").get("/listed/x" + sent));
        assertStatus(403, gateway.user("sized").get("/listed/x" + sent));
    }
}
