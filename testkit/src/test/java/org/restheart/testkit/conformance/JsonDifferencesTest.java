package org.restheart.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

final class JsonDifferencesTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @ParameterizedTest(name = "{1} is {0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1,\"b\":[]} | {\"b\":[],\"a\":1}",
                "[1,2]              | [1,2]",
                "1.0                | 1.00",
                "12345678901234567890 | 12345678901234567890",
                "\"<any>\"          | {\"a\":1}",
                "\"<oid>\"          | \"0123456789abcdef01234567\"",
                "\"<number>\"       | 1.5",
                "\"<string>\"       | \"\"",
                "\"<~^a.c$>\"       | \"abc\"",
                "{\"a\":\"<absent>\"} | {}",
                "{\"<more>\":\"\"}  | {\"a\":1}",
                "[\"<unordered>\",1,2] | [2,1]",
                "[\"<unordered>\",2,\"<more>\"] | [3,2,1]",
                "[1,\"<more>\"]     | [1,2,3]",
                "\"x ${db}\"        | \"x test\"",
                "{\"${db}\":1}      | {\"test\":1}",
            })
    void same(String expected, String actual) {
        assertThat(differences(expected, actual)).isEmpty();
    }

    @ParameterizedTest(name = "{1} is not {0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1}          | {\"a\":2}         | /a: should be 1 but is 2",
                "{\"a\":1}          | {}                | /a: is absent but should be 1",
                "{}                 | {\"a\":1}         | /a: should be absent but is 1",
                "{\"a\":null}       | {}                | /a: is absent but should be null",
                "{\"a\":\"<absent>\"} | {\"a\":null}    | /a: should be \"<absent>\" but is null",
                "1                  | 1.0               | body: should be 1 but is 1.0",
                "1                  | \"1\"             | body: should be 1 but is \"1\"",
                "[1,2]              | [2,1]             | /0: should be 1 but is 2",
                "[1]                | [1,2]             | : should have 1 elements but has 2: [1,2]",
                "[1,\"<more>\"]     | []                | : should have 1 or more elements but has 0: []",
                "[\"<unordered>\",1,1] | [1,2]          | : no element is 1 in [1,2]",
                "\"<oid>\"          | \"abc\"           | body: should be \"<oid>\" but is \"abc\"",
                "\"<~^b>\"          | \"abc\"           | body: should be \"<~^b>\" but is \"abc\"",
            })
    void different(String expected, String actual, String difference) {
        assertThat(differences(expected, actual)).first().isEqualTo(difference);
    }

    @Test
    void a_misspelt_placeholder_is_not_taken_literally() {
        assertThatThrownBy(() -> differences("\"<anny>\"", "\"<anny>\"")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void an_unknown_variable_is_named() {
        assertThatThrownBy(() -> differences("\"${nope}\"", "1"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("${nope}");
    }

    private static List<String> differences(String expected, String actual) {
        var variables = new CaseVariables();
        variables.put("db", "test");
        return JsonDifferences.between(JSON.readTree(expected), JSON.readTree(actual), variables);
    }
}
