package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a caller may not see changes no byte of the document, and what is not in the document is refused.
@WithMongo
class OpenApiSecrecyTest {
    private static final String MARK = "ZZmark";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("{_id: 'ada', roles: ['editor'], predicate: \"path-prefix('/data')\", mongo:"
                + " {projectResponse: {secret: 0, 'deep.secret': 0}, allowWriteMode: true}}");
        gateway.permit("{_id: 'bob', roles: ['viewer'], predicate: \"path-prefix('/data')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, projectResponse: {secret: 0, 'deep.secret': 0},"
                + " allowManagementRequests: true}}");
    }

    private static BsonValue hidden(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> new BsonString(MARK + random.nextInt());
            case 1 -> new BsonInt32(random.nextInt());
            case 2 -> new BsonArray(List.of(new BsonDocument(MARK + random.nextInt(9), new BsonInt32(1))));
            default -> new BsonDocument(MARK + random.nextInt(9), new BsonString("x".repeat(random.nextInt(20_000))));
        };
    }

    /// Documents of everybody. Those of `bob` and their visible fields are always the same.
    private static List<BsonDocument> world(Random random, boolean othersDiffer) {
        var shown = new Random(7);
        var documents = new ArrayList<BsonDocument>();
        for (int i = 0; i < 30; i++) {
            var document = new BsonDocument("_id", new BsonInt32(i * 10))
                    .append("owner", new BsonString("bob"))
                    .append("a" + shown.nextInt(3), new BsonInt32(1))
                    .append("deep", new BsonDocument("b", new BsonInt32(2)));
            if (random.nextBoolean()) {
                document.append("secret", hidden(random));
                document.getDocument("deep").append("secret", hidden(random));
            }
            documents.add(document);
        }
        if (othersDiffer) {
            for (int i = random.nextInt(200); i > 0; i--) {
                documents.add(new BsonDocument("_id", new BsonInt32(random.nextInt(1_000) * 10 + 1 + i % 9))
                        .append("owner", new BsonString("eve"))
                        .append(MARK + random.nextInt(9), hidden(random)));
            }
        }
        return documents;
    }

    private static void fill(List<BsonDocument> documents, Random random) {
        var data = gateway.collection("data");
        data.drop();
        var byId = new LinkedHashMap<BsonValue, BsonDocument>();
        documents.forEach(document -> byId.putIfAbsent(document.get("_id"), document));
        data.insertMany(List.copyOf(byId.values()));
        data.createIndex(BsonDocument.parse("{owner: 1}"));
        data.createIndex(BsonDocument.parse("{secret: 1, owner: 1}"));
        gateway.database().getCollection("hidden" + MARK).drop();
        if (random.nextBoolean()) {
            gateway.collection("hidden" + MARK).insertOne(new BsonDocument(MARK, new BsonInt32(1)));
        }
        gateway.as("admin").post("/ic?db=" + gateway.database().getName(), "");
    }

    private static String document(String account) {
        var response = gateway.as(account).get("/_openapi");
        OpenApiDocuments.checked(response.body());
        return response.body();
    }

    @Test
    void what_is_hidden_changes_no_byte() {
        for (var account : List.of("ada", "bob")) {
            String first = null;
            for (long seed : new long[] {1, 2, 3, new Random().nextLong()}) {
                var random = new Random(seed);
                fill(world(random, account.equals("bob")), random);
                var document = document(account);
                assertThat(document).as("seed %s", seed).doesNotContain(MARK).doesNotContain("secret");
                assertThat(document).contains("a0", "a1", "a2");
                if (first != null) {
                    assertThat(document).as("%s, seed %s", account, seed).isEqualTo(first);
                }
                first = document;
            }
        }
    }

    private static final List<String> PREDICATES = List.of(
            "method(GET)",
            "method(GET, PUT)",
            "method(POST, PATCH)",
            "method(DELETE)",
            "path-prefix('/data')",
            "path('/data/1', '/data')",
            "path-template('/{c}/{id}')",
            "path-template('/{c}/_meta')",
            "path-prefix('/data/_indexes')",
            "regex('^/data/[0-9]+$')",
            "regex('^/[a-z]+$')",
            "path-suffix('_size')",
            "equals(@user._id, cat)",
            "equals(@user._id, bob)",
            "qparams-whitelist(page)",
            "qparams-contain(filter)",
            "bson-request-whitelist(a)",
            "true");

    private static String predicate(Random random, int depth) {
        return switch (depth == 0 ? 3 : random.nextInt(5)) {
            case 0 -> "not (" + predicate(random, depth - 1) + ")";
            case 1, 2 -> "(" + predicate(random, depth - 1) + " and " + predicate(random, depth - 1) + ")";
            case 4 -> "(" + predicate(random, depth - 1) + " or " + predicate(random, depth - 1) + ")";
            default -> PREDICATES.get(random.nextInt(PREDICATES.size()));
        };
    }

    private record Sent(String method, String path, String template, String query, String body) {}

    private static final List<Sent> REQUESTS = List.of(
            new Sent("GET", "/", "/", "", ""),
            new Sent("GET", "/_size", "/_size", "", ""),
            new Sent("GET", "/data", "/data", "", ""),
            new Sent("GET", "/data", "/data", "?page=1", ""),
            new Sent("GET", "/data/", "/data", "?filter={}", ""),
            new Sent("POST", "/data", "/data", "", "{\"a\": 1}"),
            new Sent("GET", "/data/1", "/data/{id}", "", ""),
            new Sent("GET", "/data/x", "/data/{id}", "?page=1", ""),
            new Sent("PATCH", "/data/1", "/data/{id}", "", "{\"b\": 1}"),
            new Sent("PUT", "/data/1", "/data/{id}", "", "{\"a\": 1}"),
            new Sent("DELETE", "/data/1", "/data/{id}", "", ""),
            new Sent("PATCH", "/data/*", "/data/*", "?filter={\"a\":1}", "{\"a\": 1}"),
            new Sent("DELETE", "/data/*", "/data/*", "?filter={\"a\":99}", ""),
            new Sent("GET", "/data/_size", "/data/_size", "", ""),
            new Sent("GET", "/data/_meta", "/data/_meta", "", ""),
            new Sent("GET", "/data/_indexes", "/data/_indexes", "", ""),
            new Sent("PUT", "/data/_indexes/i", "/data/_indexes/{index}", "", "{\"keys\": {\"a\": 1}}"),
            new Sent("PATCH", "/data", "/data", "", "{\"descr\": \"d\"}"),
            new Sent("POST", "/data/_aggrs", "/data/_aggrs", "", "[]"));

    @Test
    void what_is_not_listed_is_refused() {
        fill(world(new Random(1), false), new Random(1));
        gateway.database()
                .getCollection("users")
                .updateOne(
                        new BsonDocument("_id", new BsonString("cat")),
                        BsonDocument.parse(
                                "{$set: {password: '" + TestGateway.hash("cat-pw") + "', roles: ['tester']}}"),
                        new com.mongodb.client.model.UpdateOptions().upsert(true));
        var seed = new Random().nextLong();
        var random = new Random(seed);
        int listed = 0;
        int refused = 0;
        for (int episode = 0; episode < 15; episode++) {
            var predicate = predicate(random, 2);
            gateway.as("admin")
                    .put(
                            "/acl/random?wm=upsert",
                            new BsonDocument("roles", new BsonArray(List.of(new BsonString("tester"))))
                                    .append("predicate", new BsonString(predicate))
                                    .append(
                                            "mongo",
                                            BsonDocument.parse("{allowManagementRequests: " + random.nextBoolean()
                                                    + ", allowBulkPatch: " + random.nextBoolean()
                                                    + ", allowBulkDelete: " + random.nextBoolean()
                                                    + ", allowAdHocAggregations: " + random.nextBoolean() + "}"))
                                    .toJson());
            var paths = OpenApiDocuments.checked(
                            gateway.as("cat").get("/_openapi").body())
                    .getDocument("paths");
            for (var sent : REQUESTS) {
                var query = sent.query().isEmpty()
                        ? ""
                        : "?"
                                + sent.query()
                                        .substring(1)
                                        .replace("{", "%7B")
                                        .replace("}", "%7D")
                                        .replace("\"", "%22");
                int status = gateway.as("cat")
                        .send(sent.method(), sent.path().replace("*", "%2A") + query, sent.body())
                        .statusCode();
                boolean isListed = paths.containsKey(sent.template())
                        && paths.getDocument(sent.template())
                                .containsKey(sent.method().toLowerCase(java.util.Locale.ROOT));
                listed += isListed ? 1 : 0;
                refused += status == 403 ? 1 : 0;
                assertThat(isListed || status == 403)
                        .as(
                                "seed %s: %s %s was answered %s with %s",
                                seed, sent.method(), sent.path(), status, predicate)
                        .isTrue();
            }
        }
        assertThat(listed).isPositive();
        assertThat(refused).isPositive();
    }
}
