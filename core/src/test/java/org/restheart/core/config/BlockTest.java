package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockTest {
    private enum Color {
        DARK_RED,
        GREEN
    }

    private final Reading reading = new Reading();

    /// The keys of the block `b`.
    private static final String KEYS = """
        keys:
          b:
            settings: true
            keys:
              port: {default: 8080, max: 65535}
              n: {default: 0, min: -1, max: none}
              ms: {default: 0, max: 100, unit: ms}
              s: {default: 0, max: 100, unit: s}
              min: {default: 0, max: 100, unit: minutes}
              one: {default: 201, values: [201, 200]}
              flag: {default: true}
              off: {default: false}
              enabled: {default: true}
              name: {default: default}
              password: {default: x}
              c: {default: green}
              mode: {default: strict, values: [strict, lax, none]}
              uri: {default: /x}
              l: {default: []}
              some: {default: [], values: [a, b]}
              what: {type: text, required: true}
              new: {default: 1, former: [old]}
              list: {type: blocks, keys: {n: {default: 0, max: 9}}}
        """;

    private Block block(String yaml) {
        var keys = new Keys.Key("", Yaml.parse(KEYS, "keys", reading));
        return Block.of("", keys, Yaml.parse("b: " + yaml, "t", reading), reading)
                .block("b");
    }

    private List<String> refusals() {
        return reading.findings().stream()
                .filter(finding -> finding.level() == Finding.Level.REFUSED)
                .map(Finding::toString)
                .toList();
    }

    private String refusal(String yaml, Consumer<Block> read) {
        read.accept(block(yaml));
        assertThat(refusals()).hasSize(1);
        return refusals().getFirst();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "70000 | 70000",
                "-1 | -1",
                "99999999999999999999 | 99999999999999999999",
                "1.5 | 1.5",
                "'8080' | \"8080\"",
                "true | true",
                "[1] | [1]",
            })
    void a_number_out_of_bounds_is_refused_with_key_bound_and_value(String yaml, String shown) {
        assertThat(refusal(
                        "{port: " + yaml + "}",
                        b -> assertThat(b.integer("port")).isEqualTo(8080)))
                .isEqualTo("/b/port must be a whole number from 0 to 65535 but was " + shown);
    }

    @Test
    void sizes_may_have_64_bits() {
        assertThat(block("{n: 5000000000}").longInteger("n")).isEqualTo(5_000_000_000L);
        assertThat(refusals()).isEmpty();
    }

    @Test
    void times_have_the_unit_of_their_key() {
        var block = block("{ms: 15, s: 15, min: 15}");
        assertThat(block.duration("ms")).isEqualTo(Duration.ofMillis(15));
        assertThat(block.duration("s")).isEqualTo(Duration.ofSeconds(15));
        assertThat(block.duration("min")).isEqualTo(Duration.ofMinutes(15));
        assertThat(block("{}").duration("s", Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @CsvSource({"true,true", "false,false", "yes,true", "No,false", "on,true", "OFF,false"})
    void booleans_of_older_files_are_understood(String yaml, boolean value) {
        var key = value ? "off" : "flag";
        assertThat(block("{" + key + ": " + yaml + "}").bool(key)).isEqualTo(value);
    }

    @Test
    void another_word_is_no_boolean() {
        assertThat(refusal("{enabled: x}", b -> b.bool("enabled")))
                .isEqualTo("/b/enabled must be true or false but was \"x\"");
    }

    @Test
    void a_number_is_no_text() {
        assertThat(refusal("{name: 0123}", b -> b.text("name")))
                .isEqualTo("/b/name must be a text, in quotes if need be but was 123");
    }

    @Test
    void a_refusal_does_not_show_a_secret() {
        assertThat(refusal("{password: 4711}", b -> b.text("password")))
                .doesNotContain("4711")
                .contains(Secrets.MASK);
    }

    @Test
    void a_choice_is_understood_in_any_case() {
        assertThat(block("{c: dark-red}").oneOf("c", Color.class)).isEqualTo(Color.DARK_RED);
        assertThat(refusal("{c: blue}", b -> b.oneOf("c", Color.class)))
                .isEqualTo("/b/c must be one of DARK_RED, GREEN but was \"blue\"");
    }

    @Test
    void a_path_of_the_server_begins_with_a_slash() {
        assertThat(block("{uri: /a/b/}").uri("uri")).isEqualTo("/a/b");
        assertThat(block("{uri: /}").uri("uri")).isEqualTo("/");
        assertThat(refusal("{uri: a}", b -> b.uri("uri"))).isEqualTo("/b/uri must start with / but was \"a\"");
    }

    @Test
    void lists_of_texts() {
        assertThat(block("{l: [a, b]}").texts("l")).containsExactly("a", "b");
        assertThat(block("{l: a}").texts("l")).containsExactly("a");
        assertThat(refusal("{l: [a, 1]}", b -> b.texts("l")))
                .isEqualTo("/b/l must be a list of texts but was [\"a\",1]");
    }

    @Test
    void members_of_a_list_are_named_by_their_number() {
        assertThat(refusal("{list: [{n: 1}, {n: x}]}", b -> b.blocks("list").forEach(m -> m.integer("n"))))
                .startsWith("/b/list[2]/n must be a whole number");
    }

    @Test
    void a_block_that_is_something_else_is_refused() {
        assertThat(refusal("7", b -> {})).isEqualTo("/b must be a block of keys but was 7");
    }

    @Test
    void what_is_missing_and_required_is_refused() {
        assertThat(refusal("{}", b -> b.requiredText("what"))).startsWith("/b/what is required and must be a text");
    }

    @Test
    void one_of_the_values_of_the_list_is_wanted() {
        assertThat(block("{one: 200, mode: lax, some: b}").integer("one")).isEqualTo(200);
        assertThat(refusal("{one: 202}", b -> assertThat(b.integer("one")).isEqualTo(201)))
                .isEqualTo("/b/one must be 201 or 200 but was 202");
    }

    @Test
    void a_text_or_list_of_another_value_is_refused() {
        var block = block("{mode: loose, some: [a, x]}");
        assertThat(block.choice("mode")).isEqualTo("strict");
        assertThat(block.texts("some")).isEmpty();
        assertThat(refusals())
                .containsExactly(
                        "/b/mode must be strict, lax or none but was \"loose\"",
                        "/b/some must be some of [a, b] but was [\"a\",\"x\"]");
    }

    @Test
    void a_former_name_is_read_with_a_warning_unless_the_key_has_its_own() {
        assertThat(block("{old: 5}").integer("new")).isEqualTo(5);
        assertThat(reading.findings())
                .containsExactly(new Finding(
                        Finding.Level.ADVICE, "/b/old", "is read as \"new\", which is the name of this key"));
        assertThat(block("{old: 5, new: 6}").integer("new")).isEqualTo(6);
    }

    @Test
    void a_key_that_is_not_in_the_list_cannot_be_read() {
        assertThatThrownBy(() -> block("{x: 1}").has("x")).hasMessageContaining("/b/x is not in keys.yml");
    }

    @Test
    void absent_keys_have_the_defaults_of_the_list() {
        var block = block("{}");
        assertThat(block.integer("port")).isEqualTo(8080);
        assertThat(block.text("mode")).isEqualTo("strict");
        assertThat(reading.filled()).containsEntry("/b/port", 8080L).containsEntry("/b/mode", "strict");
    }
}
