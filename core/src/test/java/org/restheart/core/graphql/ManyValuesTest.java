package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A short query can select more values than fit into memory, from lists within lists.
@WithMongo
class ManyValuesTest {
    @Test
    void a_result_of_too_many_values_is_given_up_while_it_is_built(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        var list = IntStream.range(0, 300).mapToObj(i -> new Document("x", i)).toList();
        mongo.client()
                .getDatabase(db)
                .getCollection("c")
                .insertMany(IntStream.range(0, 500)
                        .mapToObj(i -> new Document("_id", i).append("list", List.copyOf(list)))
                        .toList());
        try (var gateway = GraphqlGateway.start(mongo, "max-response-bytes: 2000000000")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "type Sub { x: Int } type Doc { list: [Sub] } type Query { docs: [Doc] }",
                     "mappings": {"Query": {"docs": {"db": "$db", "collection": "c", "limit": 500}}}}""".replace("$db", db));
            var refused = admin.send("POST", "/graphql/app", query(400));
            assertStatus(400, refused);
            assertThat(refused.body()).contains("or takes as much memory");
            assertThat(admin.send("POST", "/graphql/app", query(1)).statusCode())
                    .as("their memory is free again")
                    .isEqualTo(200);
        }
    }

    /// Arguments become part of the query of each parent document.
    @Test
    void arguments_of_too_many_queries_are_given_up(TestMongo mongo) {
        var db = hundred(mongo);
        try (var gateway = GraphqlGateway.start(mongo, "max-response-bytes: 8000000")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "type Doc { x: Int find(of: [Int]): [Doc] alone(of: [Int]): [Doc] stages(of: [Int]): [Doc] }
                                type Query { docs: [Doc] }",
                     "mappings": {
                       "Doc": {
                         "find": {"db": "$db", "collection": "c", "find": $filter},
                         "alone": {"db": "$db", "collection": "c", "find": $filter, "dataLoader": false},
                         "stages": {"db": "$db", "collection": "c", "stages": [{"$match": $filter}]}},
                       "Query": {"docs": {"db": "$db", "collection": "c"}}}}""".replaceAll("\\n +type", " type")
                    .replace("$db", db)
                    .replace("$filter", "{\"_id\": {\"$fk\": \"_id\"}, \"x\": {\"$in\": {\"$arg\": \"of\"}}}"));
            var values = IntStream.range(0, 5_000).boxed().toList().toString();
            for (var field : List.of("find", "alone", "stages")) {
                var variable =
                        "{\"query\": \"query($of: [Int]) {docs{" + field + "(of: $of){x}}}\", \"variables\": {\"of\": ";
                var literal = "{\"query\": \"{docs{" + field + "(of: " + values + "){x}}}\"}";
                for (var request : List.of(variable + values + "}}", literal)) {
                    var refused = admin.send("POST", "/graphql/app", request);
                    assertThat(refused.body()).as(field).contains("or takes as much memory");
                    assertStatus(400, refused);
                }
                var few = admin.send("POST", "/graphql/app", variable + "[7]}}");
                assertThat(few.body()).as(field).contains("[{\"x\":7}]");
            }
        }
    }

    /// Each parent document has arguments of its own, whatever of them its query uses.
    @Test
    void arguments_that_no_query_uses_count_and_so_do_fields_that_wait(TestMongo mongo) {
        var db = hundred(mongo);
        try (var gateway = GraphqlGateway.start(mongo, "max-response-bytes: 2000000")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "input One { y: Int } input In { x: Int more: [One] }
                                type Doc { x: Int find(in: In): Doc stages(in: In): Doc own: Doc } type Query { docs: [Doc] }",
                     "mappings": {
                       "Doc": {
                         "find": {"db": "$db", "collection": "c", "find": {"_id": {"$arg": "in.x"}}},
                         "own": {"db": "$db", "collection": "c", "find": {"_id": {"$fk": "_id"}}},
                         "stages": {"db": "$db", "collection": "c", "stages": [{"$match": {"_id": {"$arg": "in.x"}}}]}},
                       "Query": {"docs": {"db": "$db", "collection": "c"}}}}""".replaceAll("\\n +type", " type").replace("$db", db));
            var unused = String.join(",", Collections.nCopies(1_000, "{}"));
            for (var field : List.of("find", "stages")) {
                var refused = admin.ask("app", "{docs{" + field + "(in:{x:7,more:[" + unused + "]}){x}}}");
                assertThat(refused.body()).as(field).contains("or takes as much memory");
                assertThat(refused.statusCode()).isEqualTo(400);
                var shared = admin.send(
                        "POST",
                        "/graphql/app",
                        "{\"query\": \"query($in: In) {docs{" + field
                                + "(in: $in){x}}}\", \"variables\": {\"in\": {\"x\": 7, \"more\": [" + unused + "]}}}");
                assertThat(shared.body()).as("all fields share a variable").contains("{\"x\":7}");
            }
            var waiting =
                    IntStream.range(0, 50).mapToObj(i -> "a" + i + ":own{x}").collect(Collectors.joining(" "));
            var many = admin.ask("app", "{docs{" + waiting + "}}");
            assertThat(many.body()).contains("too many fields at once");
            assertThat(many.statusCode()).isEqualTo(400);
            assertThat(admin.ask("app", "{docs{own{x}}}").body()).contains("{\"x\":7}");
        }
    }

    @Test
    void results_with_too_many_errors_are_given_up(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        var texts = Collections.nCopies(20_000, "no number");
        mongo.client()
                .getDatabase(db)
                .getCollection("c")
                .insertMany(IntStream.range(0, 1_000)
                        .mapToObj(i -> new Document("_id", i)
                                .append("a", "no number")
                                .append("b", i == 0 ? texts : List.of())
                                .append("c", i == 0 ? Collections.nCopies(20_000, null) : List.of()))
                        .toList());
        try (var gateway = GraphqlGateway.start(mongo, "")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "enum E { X Y } type Doc { a: Int b: [Int] c: [Int!] e: [E] } type Query { docs: [Doc] }",
                     "mappings": {"Doc": {"e": "b"},
                       "Query": {"docs": {"db": "$db", "collection": "c", "limit": 1000}}}}""".replace("$db", db));
            var names = IntStream.range(0, 400).mapToObj(i -> "x" + i + ":a").collect(Collectors.joining(" "));
            for (var fields : List.of(names, "b", "c", "e")) {
                long before = System.nanoTime();
                var refused = admin.ask("app", "{docs{" + fields + "}}");
                assertThat(refused.body())
                        .as(fields.substring(0, 1))
                        .contains("more than 1000 values of the response do not have the types of the schema");
                assertStatus(400, refused);
                assertThat(Duration.ofNanos(System.nanoTime() - before))
                        .isLessThan(Patience.relative(Duration.ofSeconds(20)));
            }
            var one = admin.ask("app", "{docs{a}}");
            assertStatus(200, one);
        }
    }

    @Test
    void requests_of_too_many_values_are_refused_before_there_are_objects(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(mongo, "")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "type Query { docs: [String] }",
                     "mappings": {"Query": {"docs": {"db": "none", "collection": "c"}}}}""");
            var deep = "{\"\":".repeat(90) + "1" + "}".repeat(90);
            var all = String.join(",", Collections.nCopies(20_000, deep));
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getTotalThreadAllocatedBytes();
            var refused = admin.send(
                    "POST", "/graphql/app", "{\"query\": \"{docs}\", \"variables\": {\"a\": [" + all + "]}}");
            assertStatus(413, refused);
            assertThat(threads.getTotalThreadAllocatedBytes() - before).isLessThan(150_000_000);
        }
    }

    @Test
    void errors_do_not_repeat_long_variables(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(mongo, "")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "enum E { X Y } type Query { docs(of: E n: Int): [String] }",
                     "mappings": {"Query": {"docs": {"db": "none", "collection": "c"}}}}""");
            for (var type : List.of("E", "Int")) {
                var refused = admin.send(
                        "POST",
                        "/graphql/app",
                        "{\"query\": \"query($v: " + type + ") {docs(" + (type.equals("E") ? "of" : "n")
                                + ": $v)}\", \"variables\": {\"v\": \"" + "x".repeat(100_000) + "\"}}");
                assertThat(refused.body()).as(type).contains("errors").hasSizeLessThan(5_000);
            }
        }
    }

    private static String query(int aliases) {
        return "{\"query\": \"{docs{list{"
                + IntStream.range(0, aliases).mapToObj(i -> "a" + i + ":x").collect(Collectors.joining(" "))
                + "}}}\"}";
    }

    /// The name of a database whose collection `c` has a hundred documents.
    private static String hundred(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        mongo.client()
                .getDatabase(db)
                .getCollection("c")
                .insertMany(IntStream.range(0, 100)
                        .mapToObj(i -> new Document("_id", i).append("x", i))
                        .toList());
        return db;
    }
}
