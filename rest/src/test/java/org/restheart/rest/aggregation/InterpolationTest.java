package org.restheart.rest.aggregation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InterpolationTest {
    private static final PipelineVariables VARIABLES = new PipelineVariables(
            BsonDocument.parse("{n: 1, 'a.b': 2, a: {b: 3, l: [4, {x: 5}]}, 'c.d': {e: 6}, nothing: null}"));

    @ParameterizedTest
    @CsvSource({"n,1", "a.b,2", "a.l[0],4", "a.l[1].x,5", "['a'].l[0],4", "['c.d'].e,6"})
    void a_name_is_a_key_or_else_a_path(String name, int value) {
        assertThat(VARIABLES.find(name).orElseThrow().asInt32().getValue()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "a.x", "a.l[2]", "a.l[99999999999]", "n.x", "a..b", "a[", "", "."})
    void other_names_are_not_bound(String name) {
        assertThat(VARIABLES.find(name)).isEmpty();
    }

    @Test
    void null_is_a_value() {
        assertThat(VARIABLES.find("nothing")).isPresent();
    }

    @Test
    void what_looks_like_a_variable_in_a_value_stays_what_it_is() {
        var variables = new PipelineVariables(BsonDocument.parse("{v: {$var: 'n'}, n: 1}"));

        assertThat(Interpolation.OF_AGGREGATIONS.fill(
                        List.of(BsonDocument.parse("{$match: {a: {$var: 'v'}}}")), variables))
                .containsExactly(BsonDocument.parse("{$match: {a: {$eq: {$var: 'n'}}}}"));
    }

    @Test
    void other_languages_have_operators_of_their_own() {
        var graphQl = new Interpolation("$arg", "$ifarg");

        assertThat(graphQl.fill(List.of(BsonDocument.parse("{$match: {a: {$arg: 'n'}, b: {$var: 'n'}}}")), VARIABLES))
                .containsExactly(BsonDocument.parse("{$match: {a: 1, b: {$var: 'n'}}}"));
    }

    @Test
    void a_stage_must_stay_a_stage() {
        assertThatThrownBy(
                        () -> Interpolation.OF_AGGREGATIONS.fill(List.of(BsonDocument.parse("{$var: 'n'}")), VARIABLES))
                .hasMessage("invalid aggregation");
    }

    private static final PipelineVariables HOSTILE = new PipelineVariables(BsonDocument.parse("""
            {path: '$secret', all: '$$ROOT', condition: {$ne: 1}, pattern: /^a/, list: ['a', /b/, {$gt: 1}],
             plain: {a: 1}, '@user': null, '@user.team': {$ne: 'x'}, '@mongoPermissions.readFilter': {a: {$gt: 1}}}"""));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{$match: {a: {$var: 'condition'}}} | {$match: {a: {$eq: {$ne: 1}}}}",
                "{$match: {a: {$var: '@user.team'}}} | {$match: {a: {$eq: {$ne: 'x'}}}}",
                "{$match: {a: {$var: 'pattern'}}} | {$match: {a: {$eq: /^a/}}}",
                "{$match: {a: {$in: {$var: 'list'}}}} | {$match: {a: {$in: ['a']}}}",
                "{$match: {a: {$not: {$var: 'pattern'}}}} | {$match: {a: {$not: {$eq: /^a/}}}}",
                "{$match: {a: {$var: '@user'}}} | {$match: {_id: {$in: []}}}",
                "{$match: {a: {$ne: {$var: '@user'}}}} | {$match: {_id: {$in: []}}}",
                "{$match: {$var: '@mongoPermissions.readFilter'}} | {$match: {a: {$gt: 1}}}",
                "{$match: {$var: 'plain'}} | {$match: {a: 1}}",
                "{$match: {$expr: {$eq: ['$a', {$var: 'path'}]}}} | {$match: {$expr: {$eq: ['$a', {$literal: '$secret'}]}}}",
                "{$project: {x: {$var: 'path'}}} | {$project: {x: {$literal: '$secret'}}}",
                "{$set: {x: {$concat: [{$var: 'all'}]}}} | {$set: {x: {$concat: [{$literal: '$$ROOT'}]}}}",
                "{$set: {x: {$literal: {$var: 'all'}}}} | {$set: {x: {$literal: '$$ROOT'}}}",
                "{$facet: {f: [{$match: {a: {$var: 'condition'}}}]}} | {$facet: {f: [{$match: {a: {$eq: {$ne: 1}}}}]}}",
                "{$lookup: {from: 'c', let: {x: {$var: 'path'}}, as: 'y'}} | {$lookup: {from: 'c', let: {x: {$literal: '$secret'}}, as: 'y'}}"
            })
    void values_stay_values(String stage, String filled) {
        assertThat(Interpolation.OF_AGGREGATIONS.fill(List.of(BsonDocument.parse(stage)), HOSTILE))
                .containsExactly(BsonDocument.parse(filled));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$unwind: {$var: 'path'}}",
                "{$match: {$var: 'condition'}}",
                "{$match: {$or: {$var: 'pattern'}}}",
                "{$match: {a: {$geoWithin: {$var: 'condition'}}}}",
                "{$sort: {$var: 'condition'}}"
            })
    void values_that_could_only_act_are_refused(String stage) {
        assertThatThrownBy(() -> Interpolation.OF_AGGREGATIONS.fill(List.of(BsonDocument.parse(stage)), HOSTILE))
                .hasMessage("cannot execute aggregation");
    }

    @Test
    void an_author_may_let_values_act() {
        assertThat(Interpolation.OF_AGGREGATIONS
                        .forDefinition(true)
                        .fill(List.of(BsonDocument.parse("{$match: {a: {$var: 'condition'}}}")), HOSTILE))
                .containsExactly(BsonDocument.parse("{$match: {a: {$ne: 1}}}"));
    }
}
