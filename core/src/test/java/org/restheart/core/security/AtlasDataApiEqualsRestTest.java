package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Under random permissions, a sequence of actions and the REST requests that they are judged as leave equal documents,
/// and are refused alike; nothing that the permission hides is in any answer.
@WithMongo
class AtlasDataApiEqualsRestTest {
    private static TestMongo mongo;

    @BeforeAll
    static void start(TestMongo started) {
        mongo = started;
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 10);
    }

    /// An action, and the REST request that it is judged as.
    private record Pair(String action, String members, String method, String target, String body) {}

    @ParameterizedTest
    @MethodSource("seeds")
    void actions_do_what_their_requests_do(int seed) {
        try (var gateway = TestGateway.start(mongo, "dataApi: {enabled: true, default-limit: 100}\n")) {
            compare(gateway, seed);
        }
    }

    private static void compare(TestGateway gateway, int seed) {
        var random = new Random(seed);
        boolean hides = permit(gateway, random);
        for (var collection : List.of("rest", "data")) {
            for (int i = 0; i < 12; i++) {
                gateway.insert(
                        collection,
                        "{_id: %d, owner: '%s', n: %d, secret: 'hidden-%d'}"
                                .formatted(i, i % 3 == 0 ? "ada" : "bob", i % 4, i));
            }
        }
        var ada = gateway.as("ada").with("Content-Type", "application/json");
        int done = 0;
        for (int i = 0; i < 80; i++) {
            var pair = pair(random);
            var expected = ada.send(pair.method(), pair.target(), pair.body());
            var actual = ada.send(
                    "POST",
                    "/app/x/endpoint/data/v1/action/" + pair.action(),
                    "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"data\", %s}"
                            .formatted(gateway.database().getName(), pair.members()));
            var as = "%s under seed %d: %d %s; %d %s"
                    .formatted(pair, seed, expected.statusCode(), expected.body(), actual.statusCode(), actual.body());
            // 207: some of an array's documents were refused
            boolean found =
                    (expected.statusCode() < 300 && expected.statusCode() != 207) || expected.statusCode() == 404;
            assertThat(actual.statusCode() < 300).as(as).isEqualTo(found);
            assertThat(actual.statusCode() == 403).as(as).isEqualTo(expected.statusCode() == 403);
            if (found && pair.action().equals("find")) {
                assertThat(documents(actual)).as(as).isEqualTo(documents(expected));
            }
            if (hides) {
                assertThat(actual.body()).as(as).doesNotContain("hidden-");
            }
            done += found ? 1 : 0;
        }
        assertThat(done).as("under seed %d", seed).isPositive();
        assertThat(stored(gateway, "data")).as("under seed %d", seed).isEqualTo(stored(gateway, "rest"));
    }

    private static List<String> documents(HttpResponse<String> response) {
        var value = BsonDocument.parse("{v: " + response.body() + "}").get("v");
        var array = value.isArray() ? value.asArray() : value.asDocument().getArray("documents");
        return array.stream()
                .map(document -> plain(document.asDocument()).toJson())
                .toList();
    }

    /// Entity tags and ids are made anew for each write.
    private static BsonDocument plain(BsonDocument document) {
        document.remove("_etag");
        var id = document.get("_id");
        if (id != null
                && (id.isObjectId()
                        || id.isDocument()
                        || (id.isString() && id.asString().getValue().length() == 24))) {
            document.put("_id", new BsonString("new"));
        }
        return document;
    }

    private static List<BsonDocument> stored(TestGateway gateway, String collection) {
        var all = new ArrayList<BsonDocument>();
        gateway.collection(collection).find().forEach(document -> all.add(plain(document)));
        all.sort(Comparator.comparing(BsonDocument::toJson));
        return all;
    }

    /// The same permissions for both collections.
    ///
    /// @return whether all of them hide the field
    private static boolean permit(TestGateway gateway, Random random) {
        boolean hides = random.nextBoolean();
        for (int i = 0; i < 4; i++) {
            var predicate = pick(
                    random,
                    "path-prefix('/%s')",
                    "path-prefix('/%s') and not method(DELETE)",
                    "path-prefix('/%s') and method(GET)",
                    "path-template('/%s/{id}')",
                    "path('/%s') and method(GET)",
                    "path-prefix('/%s') and qparams-blacklist(sort)",
                    "path-prefix('/%s') and equals(@user._id, 'ada')");
            var grant = new ArrayList<String>();
            for (var part : List.of(
                    "allowBulkPatch: true",
                    "allowBulkDelete: true",
                    "allowWriteMode: true",
                    "readFilter: {owner: '@user._id'}",
                    "writeFilter: {owner: '@user._id'}",
                    "mergeRequest: {owner: '@user._id'}",
                    "checkWritten: true")) {
                if (random.nextBoolean()) {
                    grant.add(part);
                }
            }
            if (hides) {
                grant.add("projectResponse: {secret: 0}");
            }
            for (var collection : List.of("rest", "data")) {
                gateway.permit("{_id: '%s-%d', roles: ['editor'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                        .formatted(collection, i, i, predicate.formatted(collection), String.join(", ", grant)));
            }
        }
        return hides;
    }

    private static Pair pair(Random random) {
        int id = random.nextInt(16);
        var filter = pick(
                random,
                "{\"n\": 1}",
                "{\"secret\": {\"$gt\": \"hidden-3\"}}",
                "{\"owner\": \"bob\"}",
                "{\"$where\": \"1\"}",
                "{\"n\": {\"$gte\": 2}}",
                "{\"$expr\": {\"$eq\": [\"$owner\", \"bob\"]}}",
                "{\"$nope\": 1}");
        var query = "filter=" + TestGateway.encode(filter);
        var byId = "\"filter\": {\"_id\": " + id + "}";
        var one = "/rest/" + id + "?id_type=NUMBER";
        var sort = "sort=" + TestGateway.encode("{\"_id\": 1}");
        var update = pick(
                random, "{\"$set\": {\"n\": 7}}", "{\"$set\": {\"secret\": \"hidden-x\"}}", "{\"$inc\": {\"n\": 1}}");
        var document = "{\"n\": %d, \"owner\": \"%s\"}".formatted(random.nextInt(9), pick(random, "ada", "bob"));
        return switch (random.nextInt(9)) {
            case 0 ->
                new Pair(
                        "find",
                        "\"filter\": " + filter + ", \"sort\": {\"_id\": 1}",
                        "GET",
                        "/rest?pagesize=100&" + query + "&" + sort,
                        "");
            case 1 -> new Pair("findOne", byId, "GET", one, "");
            case 2 -> new Pair("insertOne", "\"document\": " + document, "POST", "/rest", document);
            case 3 ->
                new Pair(
                        "insertMany",
                        "\"documents\": [" + document + ", {\"_id\": " + id + "}]",
                        "POST",
                        "/rest",
                        "[" + document + ", {\"_id\": " + id + "}]");
            case 4 -> new Pair("updateOne", byId + ", \"update\": " + update, "PATCH", one, update);
            case 5 ->
                new Pair(
                        "updateMany",
                        "\"filter\": " + filter + ", \"update\": " + update,
                        "PATCH",
                        "/rest/*?" + query,
                        update);
            case 6 -> new Pair("replaceOne", byId + ", \"replacement\": " + document, "PUT", one, document);
            case 7 -> new Pair("deleteOne", byId, "DELETE", one, "");
            default -> new Pair("deleteMany", "\"filter\": " + filter, "DELETE", "/rest/*?" + query, "");
        };
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
