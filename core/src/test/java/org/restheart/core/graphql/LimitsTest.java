package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Limits of the block `graphql`, below a path of several segments and without the cache of apps.
@WithMongo
class LimitsTest {
    private static final String APP = """
            {"schema": "type Doc { _id: Int n: Int self: Doc } type Query { docs(max: Int): [Doc] few: [Doc] all: [Doc] mine: [Doc] }",
             "mappings": {
               "Doc": {"self": {"db": "$db", "collection": "c", "find": {"_id": {"$fk": "_id"}}}},
               "Query": {
                 "docs": {"db": "$db", "collection": "c", "limit": {"$arg": ["max", 3]}, "sort": {"_id": 1}},
                 "few": {"db": "$db", "collection": "c", "sort": {"_id": 1}},
                 "all": {"db": "$db", "collection": "c", "stages": [{"$sort": {"_id": 1}}]},
                 "mine": {"db": "$db", "collection": "c", "find": {"owner": {"$arg": "@user.userid"}}, "sort": {"_id": 1}}}}}
            """;

    @AutoClose
    private static ConformanceGateway gateway;

    private static TestMongo mongo;

    @BeforeAll
    static void start(TestMongo deployment) {
        mongo = deployment;
        gateway = GraphqlGateway.start(
                mongo,
                "uri: /api/graphql, app-cache-enabled: false, restrict-mapping-db: true, default-limit: 2, max-limit: 4,"
                        + " aggregation-max-results: 5, max-depth: 4, max-complexity: 12, max-aliases: 2");
        mongo.database().getCollection("c").drop();
        mongo.database()
                .getCollection("c")
                .insertMany(IntStream.range(0, 10)
                        .mapToObj(i ->
                                new Document("_id", i).append("n", i).append("owner", i % 2 == 0 ? "ada" : "admin"))
                        .toList());
        assertThat(as("admin")
                        .send("PUT", "/defs/gql-apps/app?wm=upsert", app())
                        .statusCode())
                .isBetween(200, 201);
    }

    private static String app() {
        return APP.replace("$db", mongo.databaseName());
    }

    private static GraphqlClient as(String name) {
        return new GraphqlClient(gateway, name);
    }

    private static String ask(String who, String query, int status) {
        var response = as(who).send("POST", "/api/graphql/app", "{\"query\": \"" + query + "\"}");
        assertStatus(status, response);
        return response.body();
    }

    private static int count(String query, String field) {
        return BsonDocument.parse(ask("admin", query, 200))
                .getDocument("data")
                .getArray(field)
                .size();
    }

    @Test
    void lists_are_as_long_as_allowed() {
        assertThat(count("{few{_id}}", "few")).isEqualTo(2);
        assertThat(count("{docs{_id}}", "docs")).isEqualTo(3);
        assertThat(count("{docs(max: 0){_id}}", "docs")).isEqualTo(4);
        assertThat(count("{all{_id}}", "all")).isEqualTo(5);
        for (var limit : new String[] {"-1", "5"}) {
            assertThat(ask("admin", "{docs(max: " + limit + "){_id}}", 200))
                    .contains("\"docs\":null")
                    .contains("DataFetchingException");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'{few{self{self{n}}}}', 200",
        "'{few{self{self{self{n}}}}}', 400",
        "'{few{a: n b: n}}', 200",
        "'{few{a: n b: n c: n}}', 400",
        "'{few{n n n n n n n n n n}}', 200",
        "'{few{n n n n n n n n n n n n}}', 400",
        "'{few{...f} docs{...f} all{...f}} fragment f on Doc {_id n self{n}}', 400"
    })
    void queries_are_as_large_as_allowed(String query, int status) {
        var body = ask("admin", query, status);
        assertThat(body.contains("ValidationError")).isEqualTo(status == 400);
    }

    @Test
    void the_caller_is_a_variable_of_filters() {
        assertThat(ask("ada", "{mine{_id}}", 200)).isEqualTo("{\"data\":{\"mine\":[{\"_id\":0},{\"_id\":2}]}}");
        assertThat(ask("admin", "{mine{_id}}", 200)).isEqualTo("{\"data\":{\"mine\":[{\"_id\":1},{\"_id\":3}]}}");
    }

    @Test
    void mappings_keep_to_the_database_of_the_definition() {
        var other = app().replace("\"" + mongo.databaseName() + "\"", "\"other\"");
        var refused = as("admin").send("PUT", "/defs/gql-apps/refused?wm=upsert", other);
        assertStatus(400, refused);
        assertThat(refused.body()).contains("Doc.self").contains("other");
    }

    @Test
    void without_a_cache_changes_of_others_are_seen_at_once() {
        assertThat(as("admin")
                        .send("PUT", "/defs/gql-apps/changed?wm=upsert", app())
                        .statusCode())
                .isBetween(200, 201);
        var asked = "{\"query\": \"{few{_id}}\"}";
        assertStatus(200, as("admin").send("POST", "/api/graphql/changed", asked));
        mongo.database().getCollection("gql-apps").deleteOne(new Document("_id", "changed"));
        assertStatus(404, as("admin").send("POST", "/api/graphql/changed", asked));
    }
}
