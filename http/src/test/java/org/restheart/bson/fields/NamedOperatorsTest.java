package org.restheart.bson.fields;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamedOperatorsTest {
    private static final Location AT = Location.of("x");

    private final List<String> visited = new ArrayList<>();
    private final NamedOperators walk = new NamedOperators((place, name, at) -> visited.add(place + " " + name));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{a: 1, b: {c: 1, $d: 1}} |",
                "{a: {$new: 1}} | QUERY $new",
                "{a: {$eq: {$value: 1}, $in: [{$value: 1}]}} | QUERY $eq, QUERY $in",
                "{a: {$not: {$new: 1}}} | QUERY $not, QUERY $new",
                "{a: {$all: [{$elemMatch: {b: {$new: 1}}}]}} | QUERY $all, QUERY $elemMatch, QUERY $new",
                "{a: {$elemMatch: {$new: 1}}} | QUERY $elemMatch, QUERY $new",
                "{a: {$elemMatch: {$or: [{b: {$new: 1}}]}}} | QUERY $elemMatch, QUERY $or, QUERY $new",
                "{$or: [{$new: 1}]} | QUERY $or, QUERY $new",
                "{$new: [{$inner: 1}]} | QUERY $new",
                "{$expr: {$new: ['$a', '$$FUTURE.x', '$$mine']}} | QUERY $expr, EXPRESSION $new, VARIABLE FUTURE",
                "{$expr: {$literal: {$new: '$$FUTURE'}}} | QUERY $expr, EXPRESSION $literal",
                "{a: {$near: {$new: 1}}} | QUERY $near, QUERY $new",
                "{$text: {$search: 'x', $new: 1}} | QUERY $text, QUERY $search, QUERY $new",
                "{$jsonSchema: {properties: {$x: {}}}} | QUERY $jsonSchema",
                "{ref: {$ref: 'c', $id: 1}} | QUERY $ref, QUERY $id"
            })
    void what_acts_in_a_filter_is_visited(String filter, String names) {
        walk.filter(BsonDocument.parse(filter), AT);
        assertVisited(names);
    }

    private void assertVisited(String names) {
        assertThat(String.join(", ", visited)).isEqualTo(names == null ? "" : names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{$new: {}} | STAGE $new",
                "{match: {}} | STAGE match",
                "{$match: {a: {$new: 1}}} | STAGE $match, QUERY $new",
                "{$project: {a: {$new: '$$NEW'}}} | STAGE $project, EXPRESSION $new, VARIABLE NEW",
                "{$group: {_id: null, n: {$new: 1}}} | STAGE $group, EXPRESSION $new",
                "{$setWindowFields: {output: {n: {$new: 1, window: {}}}}} | STAGE $setWindowFields, EXPRESSION $new",
                "{$facet: {a: [{$new: 1}]}} | STAGE $facet, STAGE $new",
                "{$lookup: {from: 'c', let: {x: {$new: 1}}, pipeline: [{$newer: 1}]}}"
                        + " | STAGE $lookup, STAGE $newer, EXPRESSION $new",
                "{$unionWith: {coll: 'c', pipeline: [{$facet: {b: [{$new: 1}]}}]}}"
                        + " | STAGE $unionWith, STAGE $facet, STAGE $new",
                "{$merge: {into: 'c', whenMatched: [{$new: 1}]}} | STAGE $merge, STAGE $new",
                "{$rankFusion: {input: {pipelines: {a: [{$new: 1}]}}}} | STAGE $rankFusion, STAGE $new",
                "{$geoNear: {query: {$new: 1}}} | STAGE $geoNear, QUERY $new",
                "{$graphLookup: {startWith: {$new: 1}, restrictSearchWithMatch: {a: {$newer: 1}}}}"
                        + " | STAGE $graphLookup, EXPRESSION $new, QUERY $newer",
                "{$redact: {$new: 1}} | STAGE $redact, EXPRESSION $new",
                "{$sort: {a: {$new: 1}}} | STAGE $sort, EXPRESSION $new",
                "{$ifvar: [['n'], {$match: {a: {$new: 1}}}, {$newer: 1}]}"
                        + " | STAGE $ifvar, STAGE $match, QUERY $new, STAGE $newer",
                "{$sortByCount: '$$NEW'} | STAGE $sortByCount, VARIABLE NEW"
            })
    void what_acts_in_a_stage_is_visited(String stage, String names) {
        walk.pipeline(List.of(BsonDocument.parse(stage)), AT);
        assertVisited(names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{$new: {a: 1}} | UPDATE $new",
                "{$set: {a: {$value: 1}}} | UPDATE $set",
                "{$pull: {a: {$new: 1}}} | UPDATE $pull, QUERY $new",
                "{$pull: {a: {b: {$new: 1}}}} | UPDATE $pull, QUERY $new",
                "{$push: {a: {$each: [{$value: 1}], $new: 1}}} | UPDATE $push, UPDATE $each, UPDATE $new",
                "{$push: {a: {$ref: 'c', $id: 1}}} | UPDATE $push",
                "{$currentDate: {a: {$type: 'date'}}} | UPDATE $currentDate, UPDATE $type"
            })
    void what_acts_in_a_change_is_visited(String change, String names) {
        walk.update(new Update.Operators(BsonDocument.parse(change)), AT);
        assertVisited(names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{a: 1, b: 0} |",
                "{$new: 1} | EXPRESSION $new",
                "{a: {$new: 1}} | EXPRESSION $new",
                "{a: {$elemMatch: {b: {$new: 1}}}} | EXPRESSION $elemMatch, QUERY $new",
                "{$natural: 1} | QUERY $natural"
            })
    void what_acts_in_a_projection_or_sort_is_visited(String projection, String names) {
        walk.projection(BsonDocument.parse(projection), AT);
        assertVisited(names);
    }
}
