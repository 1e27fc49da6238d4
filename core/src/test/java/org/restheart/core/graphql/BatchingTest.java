package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Fields that are loaded together have the results, errors and limits of those that are loaded alone.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchingTest {
    private static final int PARENTS = 16;
    private static final int CHILDREN = 8;

    /// Of a query whose results together are larger than a document of MongoDB may be.
    private static final int LARGE = 1_500_000;

    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    BatchingTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "verbose: true, query-time-limit: 8000");
        this.admin = new GraphqlClient(gateway, "admin");
        var database = mongo.client().getDatabase(db);
        database.getCollection("parents")
                .insertMany(IntStream.range(0, PARENTS)
                        .mapToObj(i -> new Document("_id", i)
                                .append("child", i % CHILDREN)
                                .append("in", i == 3 ? "no array" : List.of(i % CHILDREN, i)))
                        .toList());
        database.getCollection("children")
                .insertMany(IntStream.range(0, CHILDREN)
                        .mapToObj(i -> new Document("_id", i).append("k", i).append("s", "s" + i))
                        .toList());
        database.getCollection("texts")
                .insertMany(IntStream.range(0, PARENTS)
                        .mapToObj(i -> new Document("_id", i).append("k", i).append("text", "x".repeat(LARGE)))
                        .toList());
        for (var loader : new String[] {
            "false",
            "{\"batching\": true}",
            "{\"batching\": true, \"caching\": true, \"maxBatchSize\": 2}",
            "{\"batching\": true, \"maxBatchSize\": 2}",
            "{\"batching\": true, \"maxBatchSize\": 4}",
            "{\"caching\": true}",
            "{\"batching\": false}",
            "{\"batching\": true, \"maxBatchSize\": 1000}"
        }) {
            admin.define(app(loader), definition(loader));
        }
    }

    private static String app(String loader) {
        return "b" + loader.replaceAll("[^a-z0-9]", "");
    }

    private String definition(String loader) {
        return """
                {"schema": "$schema",
                 "mappings": {
                   "Parent": {
                     "byId": {"db": "$db", "collection": "children", "find": {"_id": {"$fk": "child"}}, "dataLoader": $loader},
                     "byKey": {"db": "$db", "collection": "children", "find": {"k": {"$fk": "child"}}, "dataLoader": $loader},
                     "list": {"db": "$db", "collection": "children", "find": {"k": {"$in": {"$fk": "in"}}}, "sort": {"_id": -1}, "dataLoader": $loader},
                     "piped": {"db": "$db", "collection": "children", "stages": [{"$match": {"k": {"$fk": "child"}}}, {"$set": {"s": {"$concat": ["$s", "!"]}}}], "dataLoader": $loader},
                     "pipes": {"db": "$db", "collection": "children", "stages": [{"$match": {"k": {"$in": [{"$fk": "child"}, 1]}}}, {"$sort": {"_id": 1}}], "dataLoader": $loader},
                     "count": {"db": "$db", "collection": "children", "stages": [{"$match": {"k": {"$lt": {"$fk": "child"}}}}, {"$count": "n"}], "dataLoader": $loader},
                     "any": {"db": "$db", "collection": "children", "stages": [{"$match": {"k": {"$fk": "child"}}}, {"$project": {"s": 1}}], "dataLoader": $loader},
                     "texts": {"db": "$db", "collection": "texts", "stages": [{"$match": {"k": {"$fk": "_id"}}}], "dataLoader": $loader},
                     "slow": {"db": "$db", "collection": "children", "dataLoader": $loader, "stages": [{"$limit": 1},
                       {"$set": {"p": {"$fk": "child"}, "x": {"$range": [0, 9000]}}}, {"$unwind": "$x"},
                       {"$set": {"y": {"$range": [0, 9000]}}}, {"$unwind": "$y"},
                       {"$set": {"z": {"$range": [0, 9000]}}}, {"$unwind": "$z"}, {"$group": {"_id": null}}]}},
                   "Query": {
                     "parents": {"db": "$db", "collection": "parents", "sort": {"_id": 1}, "limit": {"$arg": ["max", 100]}},
                     "many": {"db": "$db", "collection": "parents", "stages": [{"$limit": 1},
                       {"$set": {"child": {"$range": [0, 600]}}}, {"$unwind": "$child"}]}}}}
                """.replace(
                        "$schema",
                        "type Parent { _id: Int byId: Child byKey: Child list: [Child] piped: Child pipes: [Child!]! count: Count any: BsonDocument texts: [Child] slow: Child }"
                                + " type Child { _id: Int s: String text: String } type Count { n: Int } type Query { parents(max: Int): [Parent] many: [Parent] }")
                .replace("$db", db)
                .replace("$loader", loader);
    }

    private BsonDocument statistics(String loader, String query) {
        return admin.answer(app(loader), query)
                .getDocument("extensions")
                .getDocument("dataloader")
                .getDocument("overall-statistics");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"batching\": true, \"caching\": true, \"maxBatchSize\": 2} | 8 | 4 | 8",
                "{\"batching\": true, \"maxBatchSize\": 2} | 16 | 8 | 0",
                "{\"batching\": true, \"maxBatchSize\": 4} | 16 | 4 | 0",
                "{\"batching\": false} | 0 | 0 | 0",
                "{\"caching\": true} | 0 | 0 | 0",
                "false | 0 | 0 | 0"
            })
    void loads_are_counted(String loader, int loads, int batches, int hits) {
        var counted = statistics(loader, "{parents{byId{_id}}}");
        assertThat(counted.getNumber("batchLoadCount").intValue()).isEqualTo(loads);
        assertThat(counted.getNumber("batchInvokeCount").intValue()).isEqualTo(batches);
        assertThat(counted.getNumber("cacheHitCount").intValue()).isEqualTo(hits);
        assertThat(counted.keySet())
                .contains(
                        "loadCount",
                        "loadErrorCount",
                        "loadErrorRatio",
                        "batchLoadRatio",
                        "batchLoadExceptionCount",
                        "batchLoadExceptionRatio",
                        "cacheHitRatio");
    }

    @Test
    void a_batch_has_no_more_than_500_loads() {
        var counted = statistics("{\"batching\": true, \"maxBatchSize\": 1000}", "{many{byId{_id}}}");
        assertThat(counted.getNumber("batchLoadCount").intValue()).isEqualTo(600);
        assertThat(counted.getNumber("batchInvokeCount").intValue()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "'{parents{_id byId{_id s}}}'",
        "'{parents{_id byKey{_id s}}}'",
        "'{parents{_id list{_id s}}}'",
        "'{parents{_id piped{_id s}}}'",
        "'{parents{_id pipes{_id s}}}'",
        "'{parents{_id count{n}}}'",
        "'{parents{_id any}}'",
        "'{parents{byId{s} list{_id} piped{_id} pipes{s} any count{n}}}'"
    })
    void results_and_errors_are_those_of_fields_that_are_loaded_alone(String query) {
        var alone = answer("false", query);
        assertThat(alone.getDocument("data").getArray("parents")).hasSize(PARENTS);
        assertThat(alone.containsKey("errors")).isFalse(); // a value instead of a list is compared with
        for (var loader : new String[] {
            "{\"batching\": true}",
            "{\"batching\": true, \"maxBatchSize\": 4}",
            "{\"batching\": true, \"caching\": true, \"maxBatchSize\": 2}",
            "{\"batching\": false}"
        }) {
            assertThat(answer(loader, query)).as(loader).isEqualTo(alone);
        }
    }

    private BsonDocument answer(String loader, String query) {
        var answer = admin.answer(app(loader), query);
        answer.remove("extensions");
        return answer;
    }

    @Test
    void results_may_be_larger_together_than_a_document() {
        var parents = answer("{\"batching\": true}", "{parents{texts{text}}}")
                .getDocument("data")
                .getArray("parents");
        assertThat(parents).hasSize(PARENTS);
        long bytes = 0;
        for (var parent : parents) {
            for (var child : parent.asDocument().getArray("texts")) {
                bytes += child.asDocument().getString("text").getValue().length();
            }
        }
        assertThat(bytes).isGreaterThan(16 << 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{\"batching\": true}", "false"})
    void the_time_limit_holds_for_fields_of_any_level(String loader) {
        try (var impatient = GraphqlGateway.start(mongo, "query-time-limit: 1000")) {
            var asker = new GraphqlClient(impatient, "admin");
            asker.define(app(loader), definition(loader));
            var response = asker.ask(app(loader), "{parents(max: 2){slow{_id}}}");
            assertStatus(408, response);
            assertThat(response.body()).contains("Maximum query time limit of 1000ms exceeded");
        }
    }

    @Test
    void equal_questions_of_one_batch_are_sent_once() {
        var database = mongo.client().getDatabase(db);
        admin.answer(app("{\"batching\": true}"), "{parents{byKey{_id}}}");
        var asked = TestMongo.profiled(
                database,
                "{ns: '" + db + ".children', op: {$in: ['query', 'command']}}",
                () -> admin.answer(app("{\"batching\": true}"), "{parents{byKey{_id} piped{_id}}}"));
        assertThat(asked)
                .extracting(entry -> constants(entry.getDocument("command")))
                .containsExactlyInAnyOrder(CHILDREN, CHILDREN);
    }

    /// The number of keys that a command compares with: those of an `$in`, or those of the parts of a union.
    private static int constants(BsonDocument command) {
        if (command.containsKey("filter")) {
            return command.getDocument("filter")
                    .getDocument("k")
                    .getArray("$in")
                    .size();
        }
        return 1
                + (int) command.getArray("pipeline").stream()
                        .map(BsonValue::asDocument)
                        .filter(stage -> stage.containsKey("$unionWith"))
                        .count();
    }
}
