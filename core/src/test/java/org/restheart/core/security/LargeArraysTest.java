package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.ValidationOptions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Requests with very many documents, fields or values: their objects take many times as much memory as their bytes,
/// and MongoDB's reply must not exceed 16 MiB.
@WithMongo
class LargeArraysTest {
    private static final int MOST = 100_000;
    private static final int BUDGET = 64 << 20;

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "core: {max-buffered-content: " + BUDGET + "}\nmcp: {enabled: true}");
        gateway.permit("editor", "path-prefix('/c') and bson-request-blacklist(price)", "{allowWriteMode: true}");
        gateway.permit("viewer", "path-prefix('/c') and bson-request-contains(a)", "{}");
    }

    @BeforeEach
    void clear() {
        gateway.collection("c").drop();
        gateway.database().createCollection("c");
    }

    private static String array(int count, String element) {
        return IntStream.range(0, count).mapToObj(_ -> element).collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void more_documents_than_a_command_takes_are_refused() {
        var answer = gateway.as("admin").post("/c", array(MOST + 1, "{}"));
        assertStatus(413, answer);
        assertThat(answer.body())
                .contains("more than 100000 documents")
                .contains("application/x-ndjson")
                .contains("/_imports?into=/c");
        assertThat(gateway.collection("c").countDocuments()).isZero();
    }

    @Test
    void a_document_with_too_many_fields_is_refused() {
        var fields = IntStream.rangeClosed(0, MOST).mapToObj(i -> "\"f" + i + "\":1");
        var answer = gateway.as("admin").post("/c", fields.collect(Collectors.joining(",", "{", "}")));
        assertStatus(413, answer);
        assertThat(answer.body()).contains("more than 100000 fields");
    }

    /// MongoDB needs half a second for as many as are accepted, and half a minute for ten times as many.
    @Test
    void changes_of_too_many_fields_are_refused() {
        gateway.insert("c", "{_id: 'one'}");
        var admin = gateway.as("admin");
        int most = 10_000;
        for (var content :
                List.of("%s", "{\"$set\": %s}", "{\"$unset\": %s}", "{\"$inc\": {\"x\": 1}, \"$set\": %s}")) {
            for (var path : List.of("/c/one", "/c/none?wm=upsert", "/c/*?filter=%7B%22a%22:1%7D")) {
                var answer = admin.patch(path, content.formatted(fields(most + 1)));
                assertStatus(413, answer);
                assertThat(answer.body()).contains("more than 10000 fields");
            }
        }
        assertStatus(200, admin.patch("/c/one", fields(most)));
        assertStatus(200, admin.patch("/c/one", "{\"a\": " + fields(2 * most) + "}"));
        assertStatus(200, admin.put("/c/one", fields(2 * most)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"$pullAll\": {\"a\": %s}}", "{\"$addToSet\": {\"a\": {\"$each\": %s}}}"})
    void changes_that_compare_too_many_values_are_refused(String content) {
        gateway.insert("c", "{_id: 'one', a: [1]}");
        var admin = gateway.as("admin");
        for (var path : List.of("/c/one", "/c/*?filter=%7B%22a%22:1%7D")) {
            var answer = admin.patch(path, content.formatted(array(10_000, "1")));
            assertStatus(413, answer);
            assertThat(answer.body()).contains("more than 10000 fields, nor values");
        }
        assertStatus(200, admin.patch("/c/one", content.formatted(array(9_999, "1"))));
        assertStatus(200, admin.patch("/c/one", "{\"$push\": {\"b\": {\"$each\": " + array(20_000, "1") + "}}}"));
    }

    /// Each row is a change of one document.
    @Test
    void rows_of_too_many_cells_change_nothing() {
        gateway.insert("c", "{_id: 'one'}");
        var columns = IntStream.range(0, 10_001).mapToObj(i -> ",f" + i).collect(Collectors.joining());
        var row = IntStream.range(0, 10_001).mapToObj(_ -> ",1").collect(Collectors.joining());
        var target = "/csv?id=0&coll=c&db=" + gateway.database().getName();
        for (var more : List.of("&update=true", "&update=true&upsert=true")) {
            var answer = gateway.as("admin")
                    .with("Content-Type", "text/csv")
                    .send("POST", target + more, "id" + columns + "\none" + row + "\n");
            assertStatus(413, answer);
            assertThat(answer.body()).contains("10000 cells");
        }
        assertThat(gateway.collection("c").find().first()).hasSize(1);
    }

    private static String fields(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"f" + i + "\":1").collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void long_paths_are_refused_and_long_names_are_not() {
        var admin = gateway.as("admin");
        var name = "x".repeat(4_096);
        for (var document : List.of(
                "{\"" + name + ".a\": 1}",
                "{\"" + ".".repeat(100) + "\": 1}",
                // each within the bounds, but not together
                IntStream.range(0, 1_100)
                        .mapToObj(i -> "\"f" + i + ".a".repeat(95) + "\": 1")
                        .collect(Collectors.joining(",", "{", "}")))) {
            for (var answer : List.of(
                    admin.post("/c", document),
                    admin.post("/c", "[" + document + "]"),
                    admin.put("/c/one", document))) {
                assertStatus(400, answer);
            }
        }
        assertThat(gateway.collection("c").countDocuments()).isZero();
        assertStatus(201, admin.post("/c", "{\"" + name + name + "\": 1}"));
        assertStatus(201, admin.post("/c", "{\"" + name.substring(2) + ".a\": 1}"));
    }

    @Test
    void rules_see_each_document() {
        var ada = gateway.as("ada");
        var many = array(20_000, "{\"a\":1}");
        assertStatus(403, ada.post("/c", many.replaceFirst("]$", ",{\"price\":1}]")));
        var bob = gateway.as("bob");
        assertStatus(403, bob.post("/c", many.replaceFirst("]$", ",{\"b\":1}]")));
        assertStatus(403, bob.post("/c", "[]"));
        assertThat(gateway.collection("c").countDocuments()).isZero();
        assertStatus(200, bob.post("/c", many));
        assertStatus(200, ada.post("/c", "[{\"a\":1,\"b\":1}]"));
    }

    /// An account may hold 32 MiB, in which the bytes of all have room, but not what is made of them. The content
    /// of one account is read by a handler, that of the other by its rule.
    @ParameterizedTest
    @ValueSource(strings = {"admin", "ada"})
    void objects_count_as_content(String account) throws Exception {
        var caller = gateway.as(account);
        var many = array(80_000, "{\"a\":1}");
        Callable<Integer> post = () -> caller.post("/c", many).statusCode();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = List.copyOf(threads.invokeAll(List.of(post, post, post, post))).stream()
                    .map(answer -> answer.resultNow())
                    .toList();
            assertThat(answers).contains(503).isSubsetOf(200, 503); // four may refuse each other
        }
        assertThat(post.call()).isEqualTo(200);
    }

    /// A second of work for one document, with a tree of 18 MB: the account may hold one of them.
    @Test
    void trees_count_as_content() throws Exception {
        gateway.insert("c", "{_id: 1}");
        var admin = gateway.as("admin");
        var slow = "{\"$match\": {\"$expr\": {\"$gt\": [0, {\"$size\": {\"$filter\": {\"input\": {\"$range\":"
                + " [0, 1000000]}, \"cond\": {\"$lt\": [\"$$this\", 0]}}}}]}}}";
        var pipeline = "{\"stages\": [" + slow + ", {\"$match\": {\"a\": {\"$in\": " + array(70_000, "0") + "}}}]}";
        Callable<Integer> run = () -> admin.post("/c/_aggrs", pipeline).statusCode();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = threads.invokeAll(List.of(run, run, run)).stream()
                    .map(answer -> answer.resultNow())
                    .toList();
            assertThat(answers).contains(200, 503).containsOnly(200, 503);
        }
        assertThat(run.call()).isEqualTo(200);
    }

    @Test
    void trees_of_too_many_values_are_refused() {
        var admin = gateway.as("admin").with("Accept", "application/json, text/event-stream");
        var message = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": {\"a\": %s}}";
        var pipeline = "{\"stages\": [{\"$match\": {\"a\": {\"$in\": %s}}}]}";
        int few = 40_000;
        assertStatus(200, admin.post("/_mcp", message.formatted(array(few, "{\"\":0}"))));
        assertStatus(200, admin.post("/c/_aggrs", pipeline.formatted(array(few, "{\"\":0}"))));
        int many = 60_000;
        for (var answer : List.of(
                admin.post("/_mcp", message.formatted(array(many, "{\"\":0}"))),
                admin.post("/c/_aggrs", pipeline.formatted(array(many, "{\"\":0}"))),
                admin.post("/c/_aggrs", "{\"stages\": [], \"avars\": {\"a\": " + array(MOST, "0") + "}}"))) {
            assertStatus(413, answer);
            assertThat(answer.body()).contains("more than about 100000 values");
        }
    }

    /// MongoDB leaves texts out that exceed 1 MiB, and takes longer for them than a command may take.
    @Test
    void refusals_are_the_same_for_many_and_for_few() {
        int count = 5_000;
        var answer = gateway.as("admin").post("/c", array(count, "{\"_id\":\"" + "x".repeat(200) + "\"}"));
        assertStatus(207, answer);
        var errors = BsonDocument.parse(answer.body()).getArray("errors");
        assertThat(errors).hasSize(count - 1);
        for (int i = 0; i < errors.size(); i++) {
            var index = new BsonDocument("index", new BsonInt32(i + 1));
            assertThat(errors.get(i)).isEqualTo(index.append("httpStatus", new BsonInt32(409)));
        }
    }

    /// Some 1,000 bytes each: 20,000 of them exceed the reply of one command.
    @ParameterizedTest
    @ValueSource(strings = {"insert", "upsert"})
    void long_errors_of_many_documents_fit_replies(String mode) {
        gateway.collection("c").drop();
        var names = IntStream.range(0, 70).mapToObj(i -> "'name" + i + "'").collect(Collectors.joining(","));
        gateway.database()
                .createCollection(
                        "c",
                        new CreateCollectionOptions()
                                .validationOptions(new ValidationOptions()
                                        .validator(BsonDocument.parse(
                                                "{$jsonSchema: {properties: {n: {enum: [" + names + "]}}}}"))));
        int count = 20_000;
        var answer = gateway.as("admin").post("/c?wm=" + mode, array(count, "{\"n\":1}"));
        assertStatus(207, answer);
        assertThat(BsonDocument.parse(answer.body()).getArray("errors")).hasSize(count);
    }

    @Test
    void errors_inside_of_a_transaction_end_it() {
        var admin = gateway.as("admin");
        var transaction = ClientTransaction.begin(admin);
        assertStatus(207, admin.post(transaction.in("/c"), array(25_000, "{\"_id\":1}")));
        assertStatus(400, transaction.commit());
        assertThat(gateway.collection("c").countDocuments()).isZero();
    }
}
