package org.restheart.mongo.find;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoNamespace;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The plan of a filter in two steps: docs/decisions/0012-access-rules-come-first.md.
@WithMongo
final class StageOrderTest {
    private static final BsonDocument RULE = BsonDocument.parse("{owner: 'eve'}");
    private static final List<BsonDocument> WANTED = List.of(
            BsonDocument.parse("{kind: 'k', $expr: {$gt: ['$n', 1]}}"),
            BsonDocument.parse("{$expr: {$eq: [{$toInt: '$n'}, 7]}}"),
            BsonDocument.parse("{text: {$regex: 'x'}, kind: {$gt: 'a'}}"),
            BsonDocument.parse("{$or: [{kind: 'k'}, {$jsonSchema: {required: ['n']}}]}"),
            BsonDocument.parse("{owner: {$regex: 'e$'}}"));

    private final TestMongo mongo;

    StageOrderTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeEach
    void fill() {
        var collection = mongo.database().getCollection("c", BsonDocument.class);
        collection.drop();
        for (int i = 0; i < 100; i++) {
            collection.insertOne(BsonDocument.parse("{_id: " + i + ", owner: '" + (i % 2 == 0 ? "eve" : "bob")
                    + "', kind: '" + (i % 3 == 0 ? "k" : "o") + "', n: " + i + ", text: 'x" + i + "'}"));
        }
        collection.createIndex(Indexes.ascending("kind"));
        collection.createIndex(Indexes.ascending("owner", "kind"));
        collection.createIndex(Indexes.ascending("n"));
    }

    private FindQuery query(BsonDocument wanted, String sort, String keys, Optional<BsonValue> hint) {
        return new FindQuery(
                new MongoNamespace(mongo.databaseName(), "c"),
                StagedFilter.of(Optional.of(RULE), List.of(wanted)),
                Projection.of(Optional.of(BsonDocument.parse("{text: 0}")), BsonDocument.parse(keys)),
                BsonDocument.parse(sort),
                hint,
                3,
                5,
                ReadSettings.DEFAULT);
    }

    /// The stages of a plan, in the order in which documents come to them.
    private BsonDocument explain(FindQuery query) {
        var aggregate = mongo.database().getCollection("c").aggregate(DriverFinder.stages(query));
        query.hint().ifPresent(hint -> aggregate.hint(hint.asDocument()));
        return aggregate.explain(BsonDocument.class, ExplainVerbosity.QUERY_PLANNER);
    }

    @Test
    void mongodb_evaluates_the_rest_only_on_documents_that_the_rule_selects() {
        for (var wanted : WANTED) {
            for (var sort : List.of("{}", "{_id: 1}", "{kind: 1}", "{n: -1}", "{text: 1, n: 1}")) {
                for (var keys : List.of("{}", "{n: 1}")) {
                    for (var hint : List.<Optional<BsonValue>>of(
                            Optional.empty(), Optional.of(new BsonDocument("kind", new BsonInt32(1))))) {
                        var query = query(wanted, sort, keys, hint);
                        assertThat(query.filter().isStaged()).isTrue();
                        var plan = explain(query);
                        assertThat(plan.containsKey("stages")).as(plan.toJson()).isTrue();
                        var stages = plan.getArray("stages");
                        int rest = 0;
                        while (!stages.get(rest).asDocument().containsKey("$match")) {
                            rest++;
                        }
                        var before = new BsonDocument("stages", new org.bson.BsonArray(stages.subList(0, rest)));
                        assertThat(before.toJson())
                                .as(wanted + " " + sort)
                                .contains("\"owner\"")
                                .contains("9223372036854775807")
                                .doesNotContain("$expr", "$jsonSchema", "$regex", "$toInt");
                        assertThat(rest).as(plan.toJson()).isPositive();
                    }
                }
            }
        }
    }

    @Test
    void the_index_of_the_rule_and_of_harmless_comparisons_serves() {
        var plan = explain(query(WANTED.getFirst(), "{}", "{}", Optional.empty()));
        assertThat(plan.toJson()).contains("owner_1_kind_1").doesNotContain("COLLSCAN");
    }

    @Test
    void the_second_step_is_evaluated_on_few_documents_if_they_suffice() {
        var collection = mongo.database().getCollection("many", BsonDocument.class);
        collection.insertMany(IntStream.range(0, 6000)
                .mapToObj(i -> BsonDocument.parse("{_id: " + i + ", owner: '" + (i % 2 == 0 ? "eve" : "bob") + "', n: "
                        + i + ", k: " + i % 500 + "}"))
                .toList());
        for (var sort : List.of("{_id: 1}", "{_id: -1}", "{k: -1, _id: 1}", "{}")) {
            for (var filter :
                    List.of("n: {$mod: [3, 1]}", "n: {$mod: [500, 4]}", "n: {$mod: [1999, 0]}", "n: {$mod: [2, 1]}")) {
                for (int skip : List.of(0, 7, 400)) {
                    for (int limit : List.of(1, 10, 100)) {
                        assertThat(found(sort, filter, skip, limit))
                                .as(sort + " " + filter + " " + skip + " " + limit)
                                .isEqualTo(collection
                                        .find(BsonDocument.parse("{owner: 'eve', " + filter + "}"))
                                        .sort(BsonDocument.parse(sort))
                                        .skip(skip)
                                        .limit(limit)
                                        .into(new ArrayList<>()));
                    }
                }
            }
        }
        var profiles = TestMongo.profiled(
                mongo.database(),
                "{'command.aggregate': 'many'}",
                () -> found("{_id: -1}", "n: {$mod: [3, 1]}", 0, 10));
        assertThat(profiles).hasSize(1);
        assertThat(profiles.getFirst().getNumber("docsExamined").intValue()).isLessThan(500);
    }

    private List<BsonDocument> found(String sort, String wanted, int skip, int limit) {
        var query = new FindQuery(
                new MongoNamespace(mongo.databaseName(), "many"),
                StagedFilter.of(Optional.of(RULE), List.of(BsonDocument.parse("{" + wanted + "}"))),
                Projection.of(Optional.empty(), new BsonDocument()),
                BsonDocument.parse(sort),
                Optional.empty(),
                skip,
                limit,
                ReadSettings.DEFAULT);
        var found = new ArrayList<BsonDocument>();
        try (var cursor = new DriverFinder(mongo.client()).find(query, limit + 1)) {
            cursor.forEachRemaining(document -> found.add(document.decode(new BsonDocumentCodec())));
        }
        return found;
    }

    @Test
    void without_a_rule_there_is_one_step() {
        for (var wanted : WANTED) {
            var filter = StagedFilter.of(Optional.empty(), List.of(wanted));
            assertThat(filter.isStaged()).isFalse();
            assertThat(filter.single()).isEqualTo(wanted);
        }
    }

    @Test
    void only_comparisons_with_literals_are_harmless() {
        for (var harmless : List.of(
                "{}",
                "{a: 1, 'b.c': null, d: {e: 1}}",
                "{a: {$eq: {$gt: 1}}, b: {$ne: 2, $gte: 1, $lt: 3}}",
                "{a: {$in: [1, null]}, b: {$nin: []}, c: {$exists: true}, d: {$type: ['int', 2]}, e: {$size: 2}}",
                "{a: {$all: [1, {$elemMatch: {b: 1}}]}, c: {$elemMatch: {$gt: 1, $lt: 5}}}",
                "{a: {$regex: '^'}, b: {$regex: '^a-b_c d', $options: 'is'}, c: {$gt: '', $regex: '^g4[0-9]$'}}",
                "{a: {$regex: '^x\\\\.[^a-z]\\\\d./', $options: 'i'}, b: {$not: /^é/}, c: {$all: [/^x/]}}",
                "{d: {$elemMatch: {e: {$regex: /^x/}}}}",
                "{$or: [{a: 1}, {$and: [{b: {$not: {$gt: 1}}}, {$nor: [{c: 1}]}]}], $comment: 'x'}")) {
            assertThat(HarmlessFilter.is(BsonDocument.parse(harmless)))
                    .as(harmless)
                    .isTrue();
        }
        for (var other : List.of(
                "{$expr: true}",
                "{a: /x/}",
                "{a: {$regex: 'x'}}",
                "{a: {$in: [1, /x/]}}",
                "{a: {$all: [/x/]}}",
                "{a: {$not: /x/}}",
                "{a: {$not: {$regex: 'x'}}}",
                "{a: {$eq: /x/}}",
                "{a: {$elemMatch: {b: /x/}}}",
                "{a: {$elemMatch: {$regex: 'x'}}}",
                "{a: {$regex: '^x', $options: 'm'}}",
                "{a: {$regex: '^x', $options: 'x'}}",
                "{a: {$regex: '^x', $options: 1}}",
                "{a: {$options: 'i'}}",
                "{a: {$regex: '^x*y'}}",
                "{a: {$regex: '^x{1,9}'}}",
                "{a: {$regex: '^x|y'}}",
                "{a: {$regex: '^(x)'}}",
                "{a: {$regex: '^\\\\Qx'}}",
                "{a: {$regex: '^\\\\1'}}",
                "{a: {$regex: '^\\\\R'}}",
                "{a: {$regex: '^[[:alpha:]]'}}",
                "{a: {$regex: '^[x]+'}}",
                "{a: {$regex: '^$x'}}",
                "{a: {$in: [/^x/]}}",
                "{a: {$all: [{$regex: 'x'}]}}",
                "{$or: [{a: 1}, {$expr: true}]}",
                "{a: {$mod: [2, 0]}}",
                "{a: {$bitsAllSet: 1}}",
                "{a: {$geoWithin: {$center: [[0, 0], 1]}}}",
                "{$jsonSchema: {}}",
                "{$where: 'true'}",
                "{$text: {$search: 'x'}}",
                "{a: {$unknown: 1}}",
                "{a: {$gt: 1, $unknown: 1}}")) {
            assertThat(HarmlessFilter.is(BsonDocument.parse(other))).as(other).isFalse();
        }
    }
}
