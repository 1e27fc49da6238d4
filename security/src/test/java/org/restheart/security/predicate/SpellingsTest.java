package org.restheart.security.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What names one thing in several ways: paths in rules, and values of several types.
class SpellingsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        path('/c/_SIZE')                                | true
        path('/c/_size')                                | false
        path('/c/507F1F77BCF86CD799439011')             | true
        path('/c/507F1F77BCF86CD79943901G')             | false
        path('/c/507F1F77BCF86CD79943901')              | false
        path('/p.files/a/Binary')                       | true
        path-prefix('/_A')                              | true
        path(@user.home)                                | true
        path-suffix('/_A')                              | true
        path-suffix('/a')                               | false
        path-suffix(@user.home)                         | true
        path-template('/c/_A/{id}')                     | true
        path-template('/c/_a/{id}')                     | false
        equals(%R, '/c/_A')                             | true
        equals(%R, '/c/_a')                             | false
        equals(%m, '_A')                                | false
        contains(search='/_A', value=%R)                | true
        contains(search='/_A', value=%m)                | false
        contains(search={'/b', '/_A'}, value=%R)        | true
        contains(search='/_a', value=%R)                | false
        in(value=%U, array={'/_A'})                     | true
        in(value=%m, array={'/_A'})                     | false
        in(value=%U, array={'/_a'})                     | false
        path-template('/{x}') and equals(${x}, '_A')    | true
        path('/a') and path('/_A')                      | true
        path('/a') or path('/_A')                       | true
        path('/a') and path('/b')                       | false
        path('/a') or path('/b')                        | false
        not path('/_A')                                 | true
        not path('/a')                                  | false
        method(GET)                                     | false
        """)
    void a_rule_names_something_in_another_spelling_or_not(String rule, boolean expected) throws PredicateException {
        assertThat(PathSpelling.isUnusual(PredicateParser.parse(rule))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        1                    | 1.0                       | true
        1                    | {$numberLong: '1'}        | true
        1                    | {$numberDecimal: '1.00'}  | true
        1                    | 2                         | false
        1                    | '1'                       | false
        {$numberDouble: 'NaN'} | {$numberDouble: 'NaN'}  | true
        {$numberDouble: 'NaN'} | 1                       | false
        'a'                  | 'a'                       | true
        'a'                  | 'b'                       | false
        [1, 2]               | [1.0, 2.0]                | true
        [1, 2]               | [2, 1]                    | false
        [1, 2]               | [1, 3]                    | false
        [1]                  | [1, 1]                    | false
        []                   | {}                        | false
        {a: 1, b: [2]}       | {b: [2.0], a: 1.0}        | true
        {a: 1}               | {a: 2}                    | false
        {a: 1}               | {b: 1}                    | false
        {a: 1}               | {a: 1, b: 1}              | false
        null                 | null                      | true
        """)
    void numbers_are_equal_by_value_at_any_depth(String a, String b, boolean expected) {
        var values = BsonDocument.parse("{a: " + a + ", b: " + b + "}");
        assertThat(Values.equal(values.get("a"), values.get("b"))).isEqualTo(expected);
        assertThat(Values.equal(values.get("b"), values.get("a"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{a: {b: 1}}", "{'a.b': 1}", "{a: {c: 2}, 'a.b': 1}"})
    void a_path_leads_through_documents_and_names_with_dots(String json) {
        assertThat(Values.at(BsonDocument.parse(json), "a.b"))
                .isEqualTo(BsonDocument.parse("{v: 1}").get("v"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{a: 1}", "{a: [{b: 1}]}", "{b: 1}", "{'': {b: 1}}"})
    void a_path_that_leads_nowhere_has_no_value(String json) {
        assertThat(Values.at(BsonDocument.parse(json), "a.b")).isNull();
        assertThat(Values.at(BsonDocument.parse(json), ".b")).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}          | true
        [{}]        | true
        [{}, {}]    | true
        []          | false
        [{}, 1]     | false
        'a'         | false
        1           | false
        null        | false
        """)
    void values_without_a_text_are_told(String json, boolean expected) {
        assertThat(Values.isWithoutText(BsonDocument.parse("{v: " + json + "}").get("v")))
                .isEqualTo(expected);
    }
}
