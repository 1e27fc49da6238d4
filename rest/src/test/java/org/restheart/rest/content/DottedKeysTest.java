package org.restheart.rest.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.bson.JsonParser;
import org.restheart.http.ProblemException;

class DottedKeysTest {
    private static BsonDocument parse(String json) {
        return JsonParser.parse(json).asDocument();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'a.b': 1, 'l.0': 'x', 'm.1.z': 2} | {a: {b: 1}, l: ['x'], m: [null, {z: 2}]}",
                "{'0.z': 1}                         | {'0': {z: 1}}",
                "{'0.0': 1}                         | {'0': [1]}",
                "{a: {x: 1}, 'a.b': 2}              | {a: {x: 1, b: 2}}",
                "{'a.b': 2, a: {x: 1}}              | {a: {x: 1, b: 2}}",
                "{a: [5], 'a.2': 7}                 | {a: [5, null, 7]}",
                "{'a.b.c': 1, 'a.b': {d: 2}}        | {a: {b: {d: 2, c: 1}}}",
                "{x: {'n.m': 1}, 'a.b': 1}          | {x: {'n.m': 1}, a: {b: 1}}",
                "{'a.b': [{'c.d': 1}, [{'e.f': 2}]]} | {a: {b: [{c: {d: 1}}, [{e: {f: 2}}]]}}",
                "{'a.b': {'c.d': 1}}                | {a: {b: {'c.d': 1}}}",
                "{'a.1.1': 1}                       | {a: [null, [null, 1]]}",
                "{'a.$x': 1}                        | {a: {$x: 1}}",
            })
    void are_expanded(String content, String expanded) {
        assertThat(DottedKeys.expand(parse(content))).isEqualTo(parse(expanded));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a: 1, 'a.b': 2}",
                "{'a.b': 2, a: 1}",
                "{a: null, 'a.b': 2}",
                "{a: {b: 1}, 'a.b': 2}",
                "{'a.b': 1, 'a.b.c': 2}",
                "{a: [1], 'a.b': 2}",
                "{a: [1], 'a.0': 2}",
                "{a: [1], 'a.0.b': 2}",
                "{'a.b': 1, 'a.0': 2}",
                "{'a.0': 1, 'a.b': 2}",
                "{a: {x: 1}, 'a.0': 2}",
            })
    void that_contradict_each_other_are_refused(String content) {
        assertThatThrownBy(() -> DottedKeys.expand(parse(content)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("contradicts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'a..b': 1}", "{'.a': 1}", "{'a.': 1}", "{'.': 1}"})
    void with_empty_names_are_refused(String content) {
        assertThatThrownBy(() -> DottedKeys.expand(parse(content)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'a.100001': 1}", "{'a.99999999999999': 1}", "{'a.60000': 1, 'b.60000': 1}"})
    void cannot_make_much_out_of_little(String content) {
        assertThatThrownBy(() -> DottedKeys.expand(parse(content)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("gaps");
    }

    @Test
    void leave_the_content_as_it_is() {
        var content = parse("{a: {x: 1, l: [1]}, 'a.b': 2, 'a.l.1': 2}");
        DottedKeys.expand(content);
        assertThat(content).isEqualTo(parse("{a: {x: 1, l: [1]}, 'a.b': 2, 'a.l.1': 2}"));
    }
}
