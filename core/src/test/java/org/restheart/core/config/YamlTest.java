package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlTest {
    private final Reading reading = new Reading();

    private String json(String yaml) {
        return Trees.inline(Yaml.parse(yaml, "f.yml", reading));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a: 5000000000 | {\"a\":5000000000}",
                "a: 2026-01-31 | {\"a\":\"2026-01-31\"}",
                "a: ~ | {\"a\":null}",
                "1: x | {\"1\":\"x\"}",
                "a: &x {b: 1}%nc: *x | {\"a\":{\"b\":1},\"c\":{\"b\":1}}",
                "a: &x {b: 1, d: 2}%nc: {<<: *x, d: 3} | {\"a\":{\"b\":1,\"d\":2},\"c\":{\"d\":3,\"b\":1}}",
                "a: ${NAME} | {\"a\":\"${NAME}\"}",
            })
    void values_are_plain(String yaml, String json) {
        assertThat(json(yaml.formatted())).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing but a comment\n", "---\n"})
    void an_empty_file_has_no_blocks(String yaml) {
        assertThat(json(yaml)).isEqualTo("{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: [", "a: !!java.net.URL [x]", "a: b: c", "a: 1\n---\nb: 2", "\tx: 1"})
    void what_is_not_yaml_is_refused(String yaml) {
        assertThatThrownBy(() -> json(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("f.yml is not valid YAML");
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a", "text", "7"})
    void what_is_not_a_map_is_refused(String yaml) {
        assertThatThrownBy(() -> json(yaml)).hasMessage("f.yml must be a map of blocks");
    }

    @Test
    void a_blank_that_is_missing_behind_a_colon_is_told() {
        assertThatThrownBy(() -> json("/mcp/enabled:true"))
                .hasMessage("f.yml must be a map of blocks; a blank is missing behind a colon");
    }

    @Test
    void a_message_says_where_but_does_not_quote_the_file() {
        assertThatThrownBy(() -> json("ok: 1\npassword: hunter2: x\n"))
                .hasMessageContaining("line 2")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void a_key_that_occurs_twice_is_reported_and_the_last_one_counts() {
        assertThat(json("a: 1\na: 2\n")).isEqualTo("{\"a\":2}");
        assertThat(reading.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Finding.Level.SUSPECT);
            assertThat(finding.text()).contains("f.yml", "twice", "line 2");
        });
    }
}
