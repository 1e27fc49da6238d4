package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.core.streams.Relay;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What OpenAPI documents cost MongoDB, and what is left of them without it.
@WithMongo
class OpenApiCostTest {
    /// Stands for the five million of the contract, which take too long to insert: with the plan and the number
    /// of documents that it looks at, cost does not depend on the size of the collection.
    private static final int MANY = 100_000;

    private static final int SAMPLE = 200;

    /// Documents beside a random sample.
    private static final int NEWEST = 50;

    private final TestMongo mongo;

    OpenApiCostTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @Test
    void a_large_collection_is_described_without_a_scan() {
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.insert("seed", "{_id: 0}");
            gateway.collection("seed")
                    .aggregate(List.of(
                            BsonDocument.parse("{$project: {i: {$range: [0, " + MANY + "]}}}"),
                            BsonDocument.parse("{$unwind: '$i'}"),
                            BsonDocument.parse("{$project: {_id: '$i', title: {$toString: '$i'}, owner: 'bob'}}"),
                            BsonDocument.parse("{$out: 'large'}")))
                    .toCollection();
            gateway.permit("{_id: 'bob', roles: ['viewer'], predicate: \"path('/large') and method(GET)\","
                    + " mongo: {readFilter: {owner: '@user._id'}}}");
            var match = "{ns: /\\.large$/, op: {$in: ['query', 'getmore', 'command']}}";
            var operations = TestMongo.profiled(gateway.database(), match, () -> {
                for (var account : List.of("admin", "bob")) {
                    var document = OpenApiFixture.valid(gateway.as(account).get("/_openapi/large"));
                    assertThat(OpenApiFixture.schema(document, "Large").getDocument("properties"))
                            .containsKey("title");
                }
            });
            assertThat(operations)
                    .hasSizeGreaterThanOrEqualTo(4)
                    .noneMatch(operation -> operation
                            .get("planSummary", new BsonString(""))
                            .toString()
                            .contains("COLLSCAN"));
            assertThat(operations.stream()
                            .filter(operation -> operation.containsKey("docsExamined"))
                            .mapToLong(operation ->
                                    operation.getNumber("docsExamined").longValue())
                            .sum())
                    .isBetween(1L, 2L * SAMPLE + NEWEST);
        }
    }

    @Test
    void anonymous_callers_for_whom_no_permission_can_fit_are_refused_without_looking_at_data() {
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.permit("{_id: 1, roles: ['viewer'], predicate: \"path-prefix('/books')\"}");
            gateway.permit("{_id: 2, roles: ['$unauthenticated'], predicate: \"path-prefix('/ping')\"}");
            gateway.insert("books", "{_id: 1}");
            var forget = "/ic?db=" + gateway.database().getName();
            assertStatus(200, gateway.as("admin").post(forget, ""));
            var structure = "{ns: /\\._properties$/}";
            assertThat(TestMongo.profiled(gateway.database(), structure, () -> {
                        for (var path : List.of("/_openapi", "/_openapi/books", "/_openapi/none", "/_access")) {
                            assertStatus(401, gateway.anonymous().get(path));
                        }
                    }))
                    .isEmpty();
            assertThat(TestMongo.profiled(
                            gateway.database(),
                            structure,
                            () -> assertStatus(200, gateway.as("bob").get("/_openapi"))))
                    .isNotEmpty();
        }
    }

    @Test
    void without_MongoDB_known_documents_are_sent_and_others_not() throws Exception {
        try (var relay = Relay.to(mongo)) {
            relay.start();
            try (var gateway = TestGateway.startAt(
                    mongo,
                    "mongodb://127.0.0.1:" + relay.port() + "/?directConnection=true&serverSelectionTimeoutMS=2000",
                    "")) {
                gateway.insert("books", "{_id: 1, title: 'x'}");
                var before = gateway.as("admin").get("/_openapi/books");
                assertStatus(200, before);
                relay.close();
                var after = gateway.as("admin").get("/_openapi/books");
                assertStatus(200, after);
                assertThat(after.body()).isEqualTo(before.body());
                // no earlier: accounts are known until the driver has given up the cursor that tells of changes
                assertStatus(503, gateway.as("admin").get("/books?page=2"));
                var other = gateway.as("admin").get("/_openapi");
                assertStatus(503, other);
                assertThat(other.headers().firstValue("Retry-After")).isPresent();
            }
        }
    }
}
