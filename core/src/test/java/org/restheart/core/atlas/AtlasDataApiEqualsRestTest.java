package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.security.RandomRules;
import org.restheart.core.security.TestGateway;
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
        return IntStream.rangeClosed(1, 5);
    }

    /// An action, and the REST request that it is judged as.
    private record Pair(String action, String members, String method, String target, String body) {
        boolean reads() {
            return List.of("find", "findOne", "aggregate").contains(action);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void actions_do_what_their_requests_do(int seed) {
        try (var gateway = TestGateway.start(mongo, "dataApi: {enabled: true, default-limit: 100}\n")) {
            compare(gateway, seed);
        }
    }

    private static void compare(TestGateway gateway, int seed) {
        var random = new Random(seed);
        var collections = List.of("rest", "data");
        boolean hides = RandomRules.permit(gateway, random, collections, false);
        RandomRules.fill(gateway, collections);
        var ada = gateway.as("ada").with("Content-Type", "application/json");
        int done = 0;
        for (int i = 0; i < 120; i++) {
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
            if (expected.statusCode() < 300 && pair.reads()) {
                assertThat(documents(actual)).as(as).isEqualTo(documents(expected));
            }
            if (hides) {
                assertThat(actual.body()).as(as).doesNotContain(RandomRules.HIDDEN);
            }
            done += found ? 1 : 0;
        }
        assertThat(done).as("under seed %d", seed).isPositive();
        assertThat(RandomRules.comparable(gateway.collection("data").find()))
                .as("under seed %d", seed)
                .isEqualTo(RandomRules.comparable(gateway.collection("rest").find()));
    }

    private static List<String> documents(HttpResponse<String> response) {
        var value = BsonDocument.parse("{v: " + response.body() + "}").get("v");
        if (value instanceof BsonDocument envelope && envelope.containsKey("documents")) {
            value = envelope.get("documents");
        } else if (value instanceof BsonDocument envelope && envelope.containsKey("document")) {
            value = envelope.get("document");
        }
        var array =
                value.isArray() ? value.asArray() : value.isNull() ? new BsonArray() : new BsonArray(List.of(value));
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

    private static Pair pair(Random random) {
        int id = random.nextInt(16);
        var filter = RandomRules.filter(random);
        var query = "filter=" + TestGateway.encode(filter);
        var byId = "\"filter\": {\"_id\": " + id + "}";
        var one = "/rest/" + id + "?id_type=NUMBER";
        var sort = "sort=" + TestGateway.encode("{\"_id\": 1}");
        var update = RandomRules.update(random);
        var pipeline = RandomRules.pipeline(random);
        var in = "{\"_id\": {\"$in\": [" + id + "]}}"; // as a filter, at most one document
        var byFilter = "\"filter\": " + in;
        var many = "/rest/*?filter=" + TestGateway.encode(in);
        var document =
                "{\"n\": %d, \"owner\": \"%s\"}".formatted(random.nextInt(9), RandomRules.pick(random, "ada", "bob"));
        return switch (random.nextInt(15)) {
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
            case 8 ->
                new Pair(
                        "updateOne",
                        byId + ", \"update\": " + update + ", \"upsert\": true",
                        "PATCH",
                        one + "&wm=upsert",
                        update);
            case 9 ->
                new Pair(
                        "replaceOne",
                        byId + ", \"replacement\": " + document + ", \"upsert\": true",
                        "PUT",
                        one + "&wm=upsert",
                        document);
            case 10 -> new Pair("updateOne", byFilter + ", \"update\": " + update, "PATCH", many, update);
            case 11 -> new Pair("deleteOne", byFilter, "DELETE", many, "");
            case 12 -> new Pair("findOne", byFilter, "GET", "/rest?pagesize=1&filter=" + TestGateway.encode(in), "");
            case 13 ->
                new Pair(
                        "aggregate",
                        "\"pipeline\": " + pipeline,
                        "POST",
                        "/rest/_aggrs",
                        "{\"stages\": " + pipeline + "}");
            default -> new Pair("deleteMany", "\"filter\": " + filter, "DELETE", "/rest/*?" + query, "");
        };
    }
}
