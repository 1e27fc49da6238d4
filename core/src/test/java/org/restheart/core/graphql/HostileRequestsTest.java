package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Queries made to be expensive are refused over HTTP at little cost. The CPU time is that of the whole process, the
/// test's own client included; the least of several requests counts, so that neither the compiler nor the collector nor
/// what else the process does is charged.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileRequestsTest {
    private static final long ALLOWED = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration TIME_LIMIT = Duration.ofSeconds(60);
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient client;

    HostileRequestsTest(TestMongo mongo) {
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
        this.client = new GraphqlClient(gateway, "admin");
        var db = mongo.newDatabaseName();
        mongo.client().getDatabase(db).getCollection("c").insertOne(new Document("_id", 1));
        client.define("hostile", """
                {"schema": "type Doc { a: Int d: Doc docs: [Doc] } type Query { doc(a: Int): Doc docs: [Doc] }",
                 "mappings": {
                   "Doc": {"d": {"db": "$db", "collection": "c"}, "docs": {"db": "$db", "collection": "c"}},
                   "Query": {"doc": {"db": "$db", "collection": "c"}, "docs": {"db": "$db", "collection": "c"}}}}
                """.replace("$db", db));
    }

    private static String each(int n, java.util.function.IntFunction<String> text) {
        return IntStream.range(0, n).mapToObj(text).collect(Collectors.joining(" "));
    }

    private static String query(String kind) {
        return switch (kind) {
            case "deep" -> "{doc" + "{d".repeat(200) + "{a}" + "}".repeat(201);
            case "very deep" -> "{doc" + "{d".repeat(20_000) + "{a}" + "}".repeat(20_001);
            case "deep in lists" -> "{docs" + "{docs".repeat(60) + "{a}" + "}".repeat(61);
            case "wide" -> "{doc{" + "a ".repeat(14_000) + "}}";
            case "aliases" -> "{" + each(2_000, i -> "x" + i + ": doc{a}") + "}";
            case "aliases on levels" ->
                "{" + each(20, i -> "x" + i + ": doc{" + each(40, j -> "y" + j + ": a") + "}") + "}";
            case "conflicts" -> "{" + each(1_500, i -> "x: doc(a: " + i + "){a}") + "}";
            case "a circle" -> "{doc{...f}} fragment f on Doc {d{...g}} fragment g on Doc {d{...f}}";
            case "a fragment in itself" -> "{doc{...f}} fragment f on Doc {a ...f}";
            case "fragments of fragments" ->
                "{doc{...f0}} "
                        + each(30, i -> "fragment f" + i + " on Doc {d{...f" + (i + 1) + " ...f" + (i + 1) + "}}")
                        + " fragment f30 on Doc {a}";
            case "a megabyte of a name" -> "{" + "a".repeat(1 << 20) + "}";
            case "a megabyte of fields" -> "{" + "a ".repeat(1 << 19) + "}";
            case "a megabyte of blanks" -> " ".repeat(1 << 20) + "{doc{a}}";
            case "a megabyte of comments" -> "#a\n#".repeat(1 << 18) + "\n{doc{a}}";
            case "a megabyte of a text" -> "{doc(a: \"" + "x".repeat(1 << 20) + "\"){a}}";
            case "brackets" -> "{doc(a: " + "[".repeat(3_000) + "]".repeat(3_000) + "){a}}";
            case "a long name" -> "{" + "a".repeat(100_000) + "}";
            case "a long name in the wrong place" -> "{doc(a: 1 $" + "a".repeat(100_000) + ") {a}}";
            case "long names" -> "{doc{" + each(9, i -> "a" + i + "b".repeat(10_000)) + "}}";
            case "directives" -> "{doc{a " + "@a".repeat(3_000) + "}}";
            case "introspection" -> "{__schema{types{" + "fields{type{".repeat(40) + "name" + "}}".repeat(40) + "}}}";
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "deep",
                "very deep",
                "deep in lists",
                "wide",
                "aliases",
                "aliases on levels",
                "conflicts",
                "a circle",
                "a fragment in itself",
                "fragments of fragments",
                "a megabyte of a name",
                "a megabyte of fields",
                "a megabyte of blanks",
                "a megabyte of comments",
                "a megabyte of a text",
                "brackets",
                "a long name",
                "a long name in the wrong place",
                "long names",
                "directives",
                "introspection"
            })
    void they_are_refused_at_little_cost(String kind) {
        var query = query(kind);
        long cheapest = Long.MAX_VALUE;
        long until = System.nanoTime() + TIME_LIMIT.toNanos();
        for (int i = 0; (i < 3 || cheapest >= ALLOWED) && System.nanoTime() < until; i++) {
            long before = PROCESS.getProcessCpuTime();
            var response = client.ask("hostile", query);
            cheapest = Math.min(cheapest, PROCESS.getProcessCpuTime() - before);
            assertRefused(response);
        }
        assertThat(cheapest).isLessThan(ALLOWED);
    }

    private static void assertRefused(HttpResponse<String> response) {
        assertStatus(400, response);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/graphql-response+json");
        var body = BsonDocument.parse(response.body());
        assertThat(body.getArray("errors")).isNotEmpty();
        assertThat(body.containsKey("data")).isFalse();
        assertThat(response.body()).hasSizeLessThan(20_000);
    }

    /// The bounds are those of the default configuration.
    @ParameterizedTest
    @CsvSource({"depth, 50", "aliases, 500", "fields, 10000"})
    void queries_are_answered_up_to_the_bounds(String bound, int most) {
        for (int n : new int[] {most, most + 1}) {
            var query = switch (bound) {
                case "depth" -> "{doc" + "{d".repeat(n - 2) + "{a}" + "}".repeat(n - 1);
                case "aliases" -> "{doc{" + each(n, i -> "x" + i + ": a") + "}}";
                default -> "{doc{" + "a ".repeat(n - 1) + "}}";
            };
            var response = client.ask("hostile", query);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(n > most ? 400 : 200);
            assertThat(response.body().contains("ValidationError")).isEqualTo(n > most);
            assertThat(response.body().contains("graphql.max-")).isEqualTo(n > most);
        }
    }

    @Test
    void large_variables_are_no_query() {
        var body = "{\"query\": \"{doc(a: 1){a}}\", \"variables\": {\"x\": " + "[".repeat(50) + "]".repeat(50) + "}}";
        assertStatus(200, client.send("POST", "/graphql/hostile", body));
        var deep = "{\"query\": \"{doc(a: 1){a}}\", \"variables\": {\"x\": " + "[".repeat(50_000) + "]".repeat(50_000)
                + "}}";
        var response = client.send("POST", "/graphql/hostile", deep);
        assertStatus(400, response);
        assertThat(response.body()).contains("errors").doesNotContain("Exception");
    }
}
