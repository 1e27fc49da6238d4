package org.restheart.bson.fields;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
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
                "filter | {a: 1, b: {c: 1, $d: 1}} |",
                "filter | {a: {$new: 1}} | QUERY $new",
                "filter | {a: {$eq: {$value: 1}, $in: [{$value: 1}]}} | QUERY $eq, QUERY $in",
                "filter | {a: {$not: {$new: 1}}} | QUERY $not, QUERY $new",
                "filter | {a: {$all: [{$elemMatch: {b: {$new: 1}}}]}} | QUERY $all, QUERY $elemMatch, QUERY $new",
                "filter | {a: {$elemMatch: {$new: 1}}} | QUERY $elemMatch, QUERY $new",
                "filter | {a: {$elemMatch: {$or: [{b: {$new: 1}}]}}} | QUERY $elemMatch, QUERY $or, QUERY $new",
                "filter | {$or: [{$new: 1}]} | QUERY $or, QUERY $new",
                "filter | {$new: [{$inner: 1}]} | QUERY $new",
                "filter | {$expr: {$new: ['$a', '$$FUTURE.x', '$$mine']}} | QUERY $expr, EXPRESSION $new, VARIABLE"
                        + " FUTURE",
                "filter | {$expr: {$literal: {$new: '$$FUTURE'}}} | QUERY $expr, EXPRESSION $literal",
                "filter | {a: {$near: {$new: 1}}} | QUERY $near, QUERY $new",
                "filter | {$text: {$search: 'x', $new: 1}} | QUERY $text, QUERY $search, QUERY $new",
                "filter | {$jsonSchema: {properties: {$x: {}}}} | QUERY $jsonSchema",
                "filter | {ref: {$ref: 'c', $id: 1}} | QUERY $ref, QUERY $id",
                "stage | {$new: {}} | STAGE $new",
                "stage | {match: {}} | STAGE match",
                "stage | {$match: {a: {$new: 1}}} | STAGE $match, QUERY $new",
                "stage | {$project: {a: {$new: '$$NEW'}}} | STAGE $project, EXPRESSION $new, VARIABLE NEW",
                "stage | {$group: {_id: null, n: {$new: 1}}} | STAGE $group, EXPRESSION $new",
                "stage | {$setWindowFields: {output: {n: {$new: 1, window: {}}}}} | STAGE $setWindowFields, EXPRESSION"
                        + " $new",
                "stage | {$facet: {a: [{$new: 1}]}} | STAGE $facet, STAGE $new",
                "stage | {$lookup: {from: 'c', let: {x: {$new: 1}}, pipeline: [{$newer: 1}]}}"
                        + " | STAGE $lookup, STAGE $newer, EXPRESSION $new",
                "stage | {$unionWith: {coll: 'c', pipeline: [{$facet: {b: [{$new: 1}]}}]}}"
                        + " | STAGE $unionWith, STAGE $facet, STAGE $new",
                "stage | {$merge: {into: 'c', whenMatched: [{$new: 1}]}} | STAGE $merge, STAGE $new",
                "stage | {$rankFusion: {input: {pipelines: {a: [{$new: 1}]}}}} | STAGE $rankFusion, STAGE $new",
                "stage | {$geoNear: {query: {$new: 1}}} | STAGE $geoNear, QUERY $new",
                "stage | {$graphLookup: {startWith: {$new: 1}, restrictSearchWithMatch: {a: {$newer: 1}}}}"
                        + " | STAGE $graphLookup, EXPRESSION $new, QUERY $newer",
                "stage | {$redact: {$new: 1}} | STAGE $redact, EXPRESSION $new",
                "stage | {$sort: {a: {$new: 1}}} | STAGE $sort, EXPRESSION $new",
                "stage | {$ifvar: [['n'], {$match: {a: {$new: 1}}}, {$newer: 1}]}"
                        + " | STAGE $ifvar, STAGE $match, QUERY $new, STAGE $newer",
                "stage | {$sortByCount: '$$NEW'} | STAGE $sortByCount, VARIABLE NEW",
                "change | {$new: {a: 1}} | UPDATE $new",
                "change | {$set: {a: {$value: 1}}} | UPDATE $set",
                "change | {$pull: {a: {$new: 1}}} | UPDATE $pull, QUERY $new",
                "change | {$pull: {a: {b: {$new: 1}}}} | UPDATE $pull, QUERY $new",
                "change | {$push: {a: {$each: [{$value: 1}], $new: 1}}} | UPDATE $push, UPDATE $each, UPDATE $new",
                "change | {$push: {a: {$ref: 'c', $id: 1}}} | UPDATE $push",
                "change | {$currentDate: {a: {$type: 'date'}}} | UPDATE $currentDate, UPDATE $type",
                "projection | {a: 1, b: 0} |",
                "projection | {$new: 1} | EXPRESSION $new",
                "projection | {a: {$new: 1}} | EXPRESSION $new",
                "projection | {a: {$elemMatch: {b: {$new: 1}}}} | EXPRESSION $elemMatch, QUERY $new",
                "projection | {$natural: 1} | QUERY $natural"
            })
    void what_acts_is_visited(String kind, String json, String names) {
        var document = BsonDocument.parse(json);
        switch (kind) {
            case "filter" -> walk.filter(document, AT);
            case "stage" -> walk.pipeline(List.of(document), AT);
            case "change" -> walk.update(new Update.Operators(document), AT);
            default -> walk.projection(document, AT);
        }
        assertThat(String.join(", ", visited)).isEqualTo(names == null ? "" : names);
    }

    @Test
    void a_type_in_which_a_placeholder_stands_is_no_operator() {
        var typed = new BsonDocument("$oid", new BsonDocument("$var", new BsonString("x")));
        walk.filter(new BsonDocument("a", typed), AT);
        walk.pipeline(
                List.of(new BsonDocument("$limit", typed), new BsonDocument("$set", new BsonDocument("a", typed))), AT);
        var wrong = new BsonDocument("$oid", new BsonDocument("$new", new BsonString("x")));
        walk.filter(new BsonDocument("a", wrong), AT);
        assertThat(visited)
                .containsExactly(
                        "QUERY $var", "STAGE $limit", "EXPRESSION $var", "STAGE $set", "EXPRESSION $var", "QUERY $oid");
    }
}
