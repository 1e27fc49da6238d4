package org.restheart.mongo.aggregation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InterpolationTest {
    private static final Variables VARIABLES = new Variables(
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
        var variables = new Variables(BsonDocument.parse("{v: {$var: 'n'}, n: 1}"));

        assertThat(Interpolation.OF_AGGREGATIONS.fill(
                        List.of(BsonDocument.parse("{$match: {a: {$var: 'v'}}}")), variables))
                .containsExactly(BsonDocument.parse("{$match: {a: {$var: 'n'}}}"));
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
}
