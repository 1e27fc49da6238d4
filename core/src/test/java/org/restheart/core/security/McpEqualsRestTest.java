package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.McpClient.isError;

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
        return IntStream.rangeClosed(1, 10);
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
        boolean hides = permit(gateway, random);
        var rest = "rest";
        var mcp = "tools";
        for (var collection : List.of(rest, mcp)) {
            for (int i = 0; i < 12; i++) {
                gateway.insert(
                        collection,
                        "{_id: %d, owner: '%s', n: %d, secret: 'hidden-%d', text: 'of %s'}"
                                .formatted(i, i % 3 == 0 ? "ada" : "bob", i % 4, i, i % 3 == 0 ? "ada" : "bob"));
            }
        }
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
                assertThat(actual.toJson()).as("%s under seed %d", pair, seed).doesNotContain("hidden-");
            }
            allowed += expected.statusCode() < 300 ? 1 : 0;
        }
        assertThat(allowed).as("allowed under seed %d", seed).isPositive();
        assertThat(stored(gateway, mcp)).isEqualTo(stored(gateway, rest));
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

    /// Entity tags and ids are made anew for each write.
    private static String comparable(BsonDocument document) {
        document.remove("_etag");
        if (document.containsKey("_id") && document.get("_id").isObjectId()) {
            document.remove("_id");
        }
        return document.toJson(RELAXED);
    }

    private static List<BsonDocument> stored(TestGateway gateway, String collection) {
        var all = new ArrayList<BsonDocument>();
        gateway.collection(collection).find().forEach(document -> {
            document.remove("_etag");
            if (document.get("_id").isObjectId()) {
                document.remove("_id");
            }
            all.add(document);
        });
        all.sort(java.util.Comparator.comparing(BsonDocument::toJson));
        return all;
    }

    /// The same permissions for both collections.
    ///
    /// @return whether all of them hide the field
    private static boolean permit(TestGateway gateway, Random random) {
        boolean hides = random.nextBoolean();
        for (int i = 0; i < 3; i++) {
            var predicate = pick(
                    random,
                    "path-prefix('/%s')",
                    "path-prefix('/%s') and not method(DELETE)",
                    "path-prefix('/%s') and method(GET)",
                    "path-template('/%s/{id}')",
                    "path('/%s') and method(GET)",
                    "path-prefix('/%s') and qparams-blacklist(sort)",
                    "path-prefix('/%s') and equals(@user._id, 'ada')");
            var grant = grant(random, hides);
            for (var collection : List.of("rest", "tools")) {
                gateway.permit("{_id: '%s-%d', roles: ['editor'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                        .formatted(collection, i, i, predicate.formatted(collection), grant));
            }
        }
        var read = grant(random, hides);
        for (var collection : List.of("rest", "tools")) {
            gateway.permit(
                    "{_id: '%s-read', roles: ['editor'], priority: %d, predicate: \"method(GET) and path-prefix('/%s')\", mongo: {%s}}"
                            .formatted(collection, 9, collection, read));
        }
        return hides;
    }

    private static String grant(Random random, boolean hides) {
        var parts = new ArrayList<String>();
        for (var part : List.of(
                "allowBulkPatch: true",
                "allowBulkDelete: true",
                "allowAdHocAggregations: true",
                "allowManagementRequests: true",
                "readFilter: {owner: '@user._id'}",
                "writeFilter: {owner: '@user._id'}",
                "mergeRequest: {owner: '@user._id'}",
                "checkWritten: true")) {
            if (random.nextBoolean()) {
                parts.add(part);
            }
        }
        if (hides) {
            parts.add("projectResponse: {secret: 0}");
        }
        return String.join(", ", parts);
    }

    private static Pair pair(Random random, String db) {
        var rest = "rest";
        int id = random.nextInt(14);
        var filter = pick(
                random,
                "{\"n\": 1}",
                "{\"secret\": {\"$gt\": \"hidden-3\"}}",
                "{\"owner\": \"bob\"}",
                "{\"$where\": \"1\"}",
                "{\"n\": {\"$gte\": 2}}",
                "{\"text\": {\"$regex\": \"ada\"}}",
                "{\"$expr\": {\"$eq\": [\"$owner\", \"bob\"]}}",
                "{\"$nope\": 1}");
        var encoded = URLEncoder.encode(filter, StandardCharsets.UTF_8);
        var sort = "&sort=" + URLEncoder.encode("{\"_id\": 1}", StandardCharsets.UTF_8);
        var update = pick(
                random, "{\"$set\": {\"n\": 7}}", "{\"$set\": {\"secret\": \"hidden-x\"}}", "{\"$inc\": {\"n\": 1}}");
        var pipeline = pick(
                random,
                "[{\"$sort\": {\"_id\": 1}}]",
                "[{\"$group\": {\"_id\": \"$owner\", \"n\": {\"$sum\": 1}}}, {\"$sort\": {\"_id\": 1}}]",
                "[{\"$match\": {\"$where\": \"1\"}}]",
                "[{\"$project\": {\"x\": {\"$toInt\": \"$text\"}}}]",
                "[{\"$unionWith\": \"users\"}]",
                "[{\"$sort\": {\"_id\": 1}}, {\"$project\": {\"secret\": 1}}]");
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
                var document = "{\"n\": 1, \"owner\": \"" + pick(random, "ada", "bob") + "\"}";
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

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
