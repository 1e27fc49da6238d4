package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.isError;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.security.RandomRules;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Under random permissions, a call of a tool gives the documents that the REST request which it is judged as
/// gives, and is refused where that is; and nothing that the permission hides is anywhere in its answer.
@WithMongo
class McpEqualsRestTest {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private static TestMongo mongo;

    @BeforeAll
    static void start(TestMongo started) {
        mongo = started;
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 5);
    }

    /// A tool's call, and the REST request that it is judged as.
    private record Pair(String tool, String arguments, String method, String target, String body) {}

    @ParameterizedTest
    @MethodSource("seeds")
    void outcomes_are_those_of_the_judged_request(int seed) {
        try (var gateway = TestGateway.start(
                mongo, "mcp: {enabled: true, read-only: false, confirm: false, calls-per-minute: 1000000}\n")) {
            compare(gateway, seed);
        }
    }

    private static void compare(TestGateway gateway, int seed) {
        var random = new Random(seed);
        var collections = List.of("rest", "tools");
        boolean hides = RandomRules.permit(gateway, random, collections, true);
        RandomRules.fill(gateway, collections);
        var tool = new McpClient(gateway.as("ada"));
        int allowed = 0;
        for (int i = 0; i < 60; i++) {
            var pair = pair(random, gateway.database().getName());
            var expected = gateway.as("ada")
                    .with("Content-Type", "application/json")
                    .send(pair.method(), pair.target(), pair.body());
            var actual = tool.call(pair.tool(), pair.arguments());
            compare(pair, expected, actual, seed);
            if (hides) {
                assertThat(actual.toJson()).as("%s under seed %d", pair, seed).doesNotContain(RandomRules.HIDDEN);
            }
            allowed += expected.statusCode() < 300 ? 1 : 0;
        }
        assertThat(allowed).as("allowed under seed %d", seed).isPositive();
        if (hides) {
            describe(gateway, seed);
        }
        assertThat(RandomRules.comparable(gateway.collection("tools").find()))
                .isEqualTo(RandomRules.comparable(gateway.collection("rest").find()));
    }

    private static void compare(Pair pair, HttpResponse<String> expected, BsonDocument actual, int seed) {
        var as = "%s under seed %d: %s %s; %s"
                .formatted(pair, seed, expected.statusCode(), expected.body(), actual.toJson());
        boolean found = expected.statusCode() < 300;
        if (expected.statusCode() == 404 && !pair.tool().equals("run-aggregation")) { // an id that is not there
            assertThat(isError(actual)).as(as).isFalse();
            return;
        }
        assertThat(isError(actual)).as(as).isEqualTo(!found);
        if (!found) {
            return;
        }
        switch (pair.tool()) {
            case "find", "aggregate" -> {
                var value = BsonDocument.parse("{v: " + expected.body() + "}").get("v");
                var documents = value instanceof BsonArray array ? array : new BsonArray(List.of(value));
                assertThat(McpClient.documents(actual).stream().map(McpEqualsRestTest::comparable))
                        .as(as)
                        .containsExactlyElementsOf(documents.stream()
                                .map(BsonValue::asDocument)
                                .map(McpEqualsRestTest::comparable)
                                .toList());
            }
            case "count" ->
                assertThat(actual.getDocument("structuredContent").getInt32("count"))
                        .as(as)
                        .isEqualTo(BsonDocument.parse(expected.body()).getInt32("_size"));
            default -> {} // what was written is compared at the end
        }
    }

    private static String comparable(BsonDocument document) {
        return RandomRules.comparable(document).toJson(RELAXED);
    }

    /// Descriptions of the collection, its plans and its whole documents show nothing of what is hidden, not even that
    /// it exists.
    private static void describe(TestGateway gateway, int seed) {
        var db = gateway.database().getName();
        var tools = new McpClient(gateway.as("ada"));
        var answers = new ArrayList<String>();
        for (var tool : List.of("collection-schema", "collection-indexes", "explain")) {
            answers.add(tools.call(tool, "{\"database\": \"%s\", \"collection\": \"tools\"}".formatted(db))
                    .toJson());
        }
        answers.add(tools.call("list-collections", "{\"database\": \"%s\"}".formatted(db))
                .toJson());
        for (var path : List.of("", "/tools/schema", "/tools/indexes", "/tools/documents/3?id_type=NUMBER")) {
            answers.add(tools.send("resources/read", "{\"uri\": \"restheart://" + db + path + "\"}")
                    .body());
        }
        assertThat(answers)
                .as("under seed %d", seed)
                .noneMatch(answer -> answer.contains("secret") || answer.contains(RandomRules.HIDDEN));
    }

    private static Pair pair(Random random, String db) {
        var rest = "rest";
        int id = random.nextInt(14);
        var filter = RandomRules.filter(random);
        var encoded = URLEncoder.encode(filter, StandardCharsets.UTF_8);
        var sort = "&sort=" + URLEncoder.encode("{\"_id\": 1}", StandardCharsets.UTF_8);
        var update = RandomRules.update(random);
        var pipeline = RandomRules.pipeline(random);
        return switch (random.nextInt(9)) {
            case 0 ->
                new Pair(
                        "find",
                        in(db, "\"filter\": " + filter + ", \"sort\": {\"_id\": 1}, \"limit\": 100"),
                        "GET",
                        "/" + rest + "?jsonMode=relaxed&filter=" + encoded + sort,
                        "");
            case 1 -> new Pair("find", in(db, "\"limit\": 100"), "GET", "/" + rest + "?jsonMode=relaxed", "");
            case 2 ->
                new Pair(
                        "find",
                        in(db, "\"filter\": {\"_id\": " + id + "}"),
                        "GET",
                        "/" + rest + "/" + id + "?id_type=NUMBER&jsonMode=relaxed",
                        "");
            case 3 ->
                new Pair("count", in(db, "\"filter\": " + filter), "GET", "/" + rest + "/_size?filter=" + encoded, "");
            case 4 ->
                new Pair(
                        "aggregate",
                        in(db, "\"pipeline\": " + pipeline + ", \"limit\": 100"),
                        "POST",
                        "/" + rest + "/_aggrs?jsonMode=relaxed",
                        "{\"stages\": " + pipeline + "}");
            case 5 -> {
                var document = "{\"n\": 1, \"owner\": \"" + RandomRules.pick(random, "ada", "bob") + "\"}";
                yield new Pair(
                        "insert-many", in(db, "\"documents\": [" + document + "]"), "POST", "/" + rest, document);
            }
            case 6 ->
                new Pair(
                        "update-many",
                        in(db, "\"filter\": {\"_id\": " + id + "}, \"update\": " + update),
                        "PATCH",
                        "/" + rest + "/" + id + "?id_type=NUMBER",
                        update);
            case 7 ->
                new Pair(
                        "update-many",
                        in(db, "\"filter\": " + filter + ", \"update\": " + update),
                        "PATCH",
                        "/" + rest + "/*?filter=" + encoded,
                        update);
            default ->
                new Pair(
                        "delete-many",
                        in(db, "\"filter\": " + filter),
                        "DELETE",
                        "/" + rest + "/*?filter=" + encoded,
                        "");
        };
    }

    private static String in(String db, String more) {
        return "{\"database\": \"%s\", \"collection\": \"tools\", %s}".formatted(db, more);
    }
}
