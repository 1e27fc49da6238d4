package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.slf4j.LoggerFactory;

/// Definitions that drivers or other servers have stored.
@WithMongo
class StoredAppsTest {
    private static final String QUERY = "{docs{_id}}";

    private final TestMongo mongo;

    StoredAppsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeEach
    void clear() {
        mongo.database().getCollection("gql-apps").drop();
        mongo.database().createCollection("gql-apps");
        mongo.database().getCollection("c").drop();
        mongo.database().getCollection("c").insertOne(new Document("_id", 1));
    }

    private ConformanceGateway start(String graphql, String more) {
        return GraphqlGateway.start(mongo, graphql, yaml -> yaml + more);
    }

    private Document app(String id, UnaryOperator<String> change) {
        return Document.parse(change.apply("""
            {"_id": "$id", "schema": "type Doc { _id: Int } type Query { docs: [Doc] }",
             "mappings": {"Query": {"docs": {"db": "$db", "collection": "c"}}}}
            """.replace("$id", id).replace("$db", mongo.databaseName())));
    }

    private void insert(Document app) {
        mongo.database().getCollection("gql-apps").insertOne(app);
    }

    private static int status(ConformanceGateway gateway, String app) {
        return new GraphqlClient(gateway, "admin").ask(app, QUERY).statusCode();
    }

    @Test
    void those_that_are_there_at_the_start_are_served_unless_disabled_or_invalid() {
        insert(app("usual", json -> json));
        insert(app("off", json -> json).append("descriptor", new Document("enabled", false)));
        insert(app("on", json -> json).append("descriptor", new Document("enabled", true).append("uri", "/on/v1")));
        insert(app("misspelt", json -> json.replace("\"collection\"", "\"fnd\": {\"_id\": 2}, \"collection\"")));
        insert(app("invalid", json -> json.replace("type Query", "type Qery")));
        insert(app("elsewhere", json -> json.replace(mongo.databaseName(), "elsewhere")));
        for (var components :
                new String[] {"graphAppsInitializer: {enabled: true}\n", "graphAppsInitializer: {enabled: false}\n"}) {
            try (var gateway = start("restrict-mapping-db: true, app-cache-ttr: 100", components)) {
                var admin = new GraphqlClient(gateway, "admin");
                for (int round = 0; round < 2; round++) { // before and after definitions were compared
                    assertThat(status(gateway, "usual")).isEqualTo(200);
                    assertThat(status(gateway, "off")).isEqualTo(404);
                    assertThat(status(gateway, "on/v1")).isEqualTo(200);
                    assertThat(status(gateway, "on")).isEqualTo(200);
                    assertThat(status(gateway, "misspelt")).isEqualTo(200);
                    assertThat(admin.ask("invalid", QUERY).body())
                            .contains("Invalid GraphQL app definition: Invalid GraphQL schema");
                    assertThat(status(gateway, "invalid")).isEqualTo(400);
                    assertThat(admin.ask("elsewhere", QUERY).body()).contains("Invalid GraphQL app definition: ");
                    assertThat(status(gateway, "elsewhere")).isEqualTo(400);
                    awaitComparisons();
                }
            }
        }
    }

    @Test
    void those_that_are_compiled_at_the_start_are_cached_however_long_that_takes() {
        IntStream.range(0, 90).mapToObj(i -> app("many-" + i, json -> json)).forEach(this::insert);
        try (var gateway = start("app-cache-ttr: 100", "")) {
            assertThat(status(gateway, "many-0")).isEqualTo(200);
            await().untilAsserted(() -> assertThat(queries(this::awaitComparisons))
                    .anySatisfy(query -> assertThat(paths(query)).hasSize(90)));
        }
    }

    @Test
    void new_ones_are_found_at_once_and_changes_only_where_definitions_are_compared() {
        try (var gateway = start("app-cache-ttr: 50", "graphAppsUpdater: {enabled: false}\n");
                var comparing = start("app-cache-ttr: 50", "")) {
            assertThat(status(gateway, "late")).isEqualTo(404);
            insert(app("late", json -> json));
            assertThat(status(gateway, "late")).isEqualTo(200);
            assertThat(status(comparing, "late")).isEqualTo(200);
            mongo.database().getCollection("gql-apps").deleteOne(new Document("_id", "late"));
            await().until(() -> status(comparing, "late") == 404);
            assertThat(status(gateway, "late")).isEqualTo(200);
        }
    }

    @Test
    void what_has_no_effect_is_in_the_log() {
        try (var gateway = start("app-cache-ttr: 60000", "");
                var log = new LogLines()) {
            var written = new GraphqlClient(gateway, "admin").send("PUT", "/defs/gql-apps/odd?wm=upsert", """
                {"schema": "type Query { a: String b: String } type Mutation { m: Int } type Subscription { s: Int }",
                 "mappings": {"Query": {"a": "a", "gone": "x"}, "Nope": {"y": "z"}}}
                """);
            assertStatus(201, written);
            for (var warning : List.of(
                    "the schema does not have what is mapped: Nope.y",
                    "the schema does not have what is mapped: Query.gone",
                    "without mapping, so null: Query.b",
                    "without mapping, so null: Mutation",
                    "without mapping, so null: Subscription.s")) {
                assertThat(log.all()).contains("WARN GraphQL app [odd]: " + warning);
                assertThat(written.headers().allValues("Warning")).contains("299 - \"" + warning + "\"");
                assertThat(BsonDocument.parse(written.body()).getArray("_warnings"))
                        .contains(new BsonString(warning));
            }
        }
    }

    @Test
    void requests_do_not_repeat_in_the_log_what_is_wrong_with_stored_definitions() {
        insert(app(
                        "odd",
                        json -> json.replace(
                                "\"collection\": \"c\"", "\"collection\": \"c\", \"stages\": [{\"$out\": \"x\"}]"))
                .append("unknown", 1));
        insert(app("y", json -> json).append("descriptor", new Document("uri", "/shared/")));
        insert(app("z", json -> json).append("descriptor", new Document("uri", "shared")));
        try (var gateway = start("app-cache-enabled: false", "");
                var log = new LogLines()) {
            for (int i = 0; i < 4; i++) {
                assertThat(new GraphqlClient(gateway, "admin").ask("odd", QUERY).body())
                        .contains("errors");
                assertThat(status(gateway, "shared")).isEqualTo(200);
            }
            assertThat(log.all()).noneMatch(line -> line.startsWith("WARN GraphQL app"));
            assertThat(log.all().stream().filter(line -> line.contains("These GraphQL apps have the same path")))
                    .hasSize(1);
        }
    }

    /// Queries of definitions meanwhile.
    private <E extends Exception> List<BsonDocument> queries(TestMongo.Action<E> action) throws E {
        return TestMongo.profiled(
                mongo.database(), "{op: 'query', ns: '" + mongo.databaseName() + ".gql-apps'}", action);
    }

    /// Until definitions have been compared that were stored before.
    private void awaitComparisons() {
        awaitComparisons(() -> {});
    }

    /// @param requests for apps, repeated: only those that are cached are compared
    private void awaitComparisons(Runnable requests) {
        var comparison = BsonDocument.parse("{'command.find': 'gql-apps'}");
        TestMongo.profiled(
                mongo.database(),
                "{}",
                () -> await().until(() -> {
                    requests.run();
                    return mongo.database().getCollection("system.profile").countDocuments(comparison) >= 2;
                }));
    }

    /// Of this class' many apps, those whose definitions a query asks for.
    private static List<String> paths(BsonDocument query) {
        return Pattern.compile("(at/|many-)\\d+")
                .matcher(query.toJson())
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    @Test
    void the_paths_of_many_definitions_are_compared_with_few_queries() {
        try (var gateway = start("app-cache-ttr: 100", "graphAppsInitializer: {enabled: false}\n")) {
            var admin = new GraphqlClient(gateway, "admin");
            var many = IntStream.range(0, 150)
                    .mapToObj(i -> app("many-" + i, json -> json).append("descriptor", new Document("uri", "at/" + i)))
                    .map(Document::toJson)
                    .toList();
            var writing = queries(() -> {
                var written = admin.send("POST", "/defs/gql-apps?wm=upsert", many.toString());
                assertThat(written.statusCode()).as(written.body()).isIn(200, 201);
            });
            assertThat(writing).hasSizeLessThan(10);
            await().untilAsserted(() -> {
                for (int i = 0; i < 30; i++) { // not cached if a change is announced meanwhile
                    assertThat(status(gateway, "at/" + i)).isEqualTo(200);
                }
                assertThat(queries(this::awaitComparisons))
                        .anySatisfy(query -> assertThat(paths(query))
                                .as("about all that are cached: " + query)
                                .hasSizeGreaterThanOrEqualTo(30))
                        .allSatisfy(query -> assertThat(
                                        query.getNumber("docsExamined").intValue())
                                .as("not about single ones: " + query)
                                .isGreaterThanOrEqualTo(150));
            });
            var taken = admin.send(
                    "POST",
                    "/defs/gql-apps?wm=upsert",
                    List.of(
                                    app("new", json -> json).toJson(),
                                    app("at/3", json -> json)
                                            .append("descriptor", new Document("uri", "at/149"))
                                            .toJson())
                            .toString());
            assertStatus(409, taken);
            assertThat(taken.body()).contains("in document at index positon 1", "/at/149");
        }
    }

    @Test
    void the_service_can_be_switched_off() {
        insert(app("usual", json -> json));
        try (var gateway =
                GraphqlGateway.start(mongo, "enabled: false", yaml -> yaml.replace("{what: '*', where: /}, ", ""))) {
            assertThat(status(gateway, "usual")).isEqualTo(502); // no path is left
        }
    }

    @Test
    void paths_are_unique_by_an_index_if_configured() {
        var apps = mongo.database().getCollection("gql-apps");
        apps.createIndex(new Document("descriptor.name", 1));
        try (var gateway = start("app-cache-ttr: 60000", "createIndexesOnGqlApps: {enabled: true}\n")) {
            await().untilAsserted(() -> {
                assertThat(apps.listIndexes())
                        .anyMatch(index -> index.get("key").equals(new Document("descriptor.uri", 1))
                                && index.getBoolean("unique")
                                && index.getBoolean("sparse"))
                        .noneMatch(index -> index.get("key", Document.class).containsKey("descriptor.name"));
            });
            insert(app("a", json -> json).append("descriptor", new Document("uri", "taken")));
            insert(app("b", json -> json));
            insert(app("c", json -> json)); // neither has a path of its own
            var refused = new GraphqlClient(gateway, "admin")
                    .send(
                            "PUT",
                            "/defs/gql-apps/d?wm=upsert",
                            app("d", json -> json)
                                    .append("descriptor", new Document("uri", "taken"))
                                    .toJson());
            assertStatus(409, refused);
            assertThat(refused.body()).contains("URI collision");
        }
    }

    @Test
    void definitions_that_collide_already_keep_the_index_away_and_nothing_else() {
        insert(app("a", json -> json).append("descriptor", new Document("uri", "taken")));
        insert(app("b", json -> json).append("descriptor", new Document("uri", "taken")));
        try (var gateway = start("app-cache-ttr: 60000", "createIndexesOnGqlApps: {enabled: true}\n")) {
            assertThat(status(gateway, "taken")).isEqualTo(200);
            assertThat(status(gateway, "a")).isEqualTo(200);
            assertThat(status(gateway, "b")).isEqualTo(200);
        }
    }

    /// A definition's path is what is stored, not what its keys and texts stand for.
    @Test
    void at_the_start_too_each_path_is_one_definition_s() {
        insert(app("$usual", json -> json));
        insert(app("_$usual", json -> json.replace("docs", "others")));
        insert(app("/$usual", json -> json.replace("docs", "others")).append("descriptor", new Document("uri", "x")));
        insert(app("y", json -> json).append("descriptor", new Document("uri", "/shared/")));
        insert(app("z", json -> json.replace("docs", "others")).append("descriptor", new Document("uri", "shared")));
        try (var gateway = start("app-cache-ttr: 100", "")) {
            for (int round = 0; round < 2; round++) { // while all are compiled, and afterwards
                awaitComparisons(() -> {
                    assertThat(status(gateway, "$usual")).isEqualTo(200);
                    assertThat(status(gateway, "shared")).isEqualTo(200);
                });
            }
        }
    }

    @Test
    void of_definitions_that_two_servers_store_at_the_same_moment_both_serve_the_same() throws Exception {
        try (var one = start("app-cache-ttr: 60000", "");
                var other = start("app-cache-ttr: 60000", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            int both = 0;
            for (int round = 0; round < 20; round++) {
                var path = "race/" + round;
                var begin = new CyclicBarrier(2);
                var first = threads.submit(() -> define(one, begin, "first", path));
                var second = threads.submit(() -> define(other, begin, "second", path));
                both += first.get() == 201 && second.get() == 201 ? 1 : 0;
                assertThat(List.of(first.get(), second.get())).contains(201);
                await().untilAsserted(() -> {
                    var names = served(one, path);
                    assertThat(names).hasSize(1);
                    assertThat(served(other, path)).isEqualTo(names);
                });
                mongo.database().getCollection("gql-apps").deleteMany(new Document());
                await().until(() -> status(one, path) == 404 && status(other, path) == 404);
            }
            LoggerFactory.getLogger(StoredAppsTest.class).info("both were stored in {} of 20 rounds", both);
        }
    }

    private int define(ConformanceGateway gateway, CyclicBarrier begin, String name, String path) throws Exception {
        var definition = app(name, json -> json.replace("docs", name)).append("descriptor", new Document("uri", path));
        begin.await();
        return new GraphqlClient(gateway, "admin")
                .send("PUT", "/defs/gql-apps/" + name + "?wm=upsert", definition.toJson())
                .statusCode();
    }

    /// Which of the two apps is served at the path.
    private static List<String> served(ConformanceGateway gateway, String path) {
        return Stream.of("first", "second")
                .filter(name -> new GraphqlClient(gateway, "admin")
                                .ask(path, "{" + name + "{_id}}")
                                .statusCode()
                        == 200)
                .toList();
    }
}
