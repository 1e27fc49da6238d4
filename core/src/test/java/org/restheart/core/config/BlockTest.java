package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockTest {
    private enum Colour {
        DARK_RED,
        GREEN
    }

    private final Reading reading = new Reading();

    private Block block(String yaml) {
        return Block.of("", Yaml.parse("b: " + yaml, "t", reading), reading).block("b");
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
                        b -> assertThat(b.integer("port", 8080, 0, 65_535)).isEqualTo(8080)))
                .isEqualTo("/b/port must be a whole number from 0 to 65535 but was " + shown);
    }

    @Test
    void sizes_may_have_64_bits() {
        assertThat(block("{n: 5000000000}").longInteger("n", 0, -1, Long.MAX_VALUE))
                .isEqualTo(5_000_000_000L);
        assertThat(refusals()).isEmpty();
    }

    @Test
    void times_have_the_unit_that_the_reader_says() {
        var block = block("{t: 15}");
        assertThat(block.millis("t", 0, 0, 100)).isEqualTo(Duration.ofMillis(15));
        assertThat(block.seconds("t", 0, 0, 100)).isEqualTo(Duration.ofSeconds(15));
        assertThat(block.minutes("t", 0, 0, 100)).isEqualTo(Duration.ofMinutes(15));
    }

    @ParameterizedTest
    @CsvSource({"true,true", "false,false", "yes,true", "No,false", "on,true", "OFF,false"})
    void booleans_of_older_files_are_understood(String yaml, boolean value) {
        assertThat(block("{flag: " + yaml + "}").bool("flag", !value)).isEqualTo(value);
    }

    @Test
    void another_word_is_no_boolean() {
        assertThat(refusal("{enabled: x}", b -> b.bool("enabled", true)))
                .isEqualTo("/b/enabled must be true or false but was \"x\"");
    }

    @Test
    void a_number_is_no_text() {
        assertThat(refusal("{name: 0123}", b -> b.text("name", "default")))
                .isEqualTo("/b/name must be a text, in quotes if need be but was 123");
    }

    @Test
    void a_refusal_does_not_show_a_secret() {
        assertThat(refusal("{password: 4711}", b -> b.text("password", "")))
                .doesNotContain("4711")
                .contains(Secrets.MASK);
    }

    @Test
    void a_choice_is_understood_in_any_case() {
        assertThat(block("{c: dark-red}").oneOf("c", Colour.GREEN)).isEqualTo(Colour.DARK_RED);
        assertThat(refusal("{c: blue}", b -> b.oneOf("c", Colour.GREEN)))
                .isEqualTo("/b/c must be one of DARK_RED, GREEN but was \"blue\"");
    }

    @Test
    void a_path_of_the_server_begins_with_a_slash() {
        assertThat(block("{uri: /a/b/}").uri("uri", "/")).isEqualTo("/a/b");
        assertThat(block("{uri: /}").uri("uri", "/x")).isEqualTo("/");
        assertThat(refusal("{uri: a}", b -> b.uri("uri", "/"))).isEqualTo("/b/uri must start with / but was \"a\"");
    }

    @Test
    void lists_of_texts() {
        assertThat(block("{l: [a, b]}").texts("l", List.of())).containsExactly("a", "b");
        assertThat(block("{l: a}").texts("l", List.of())).containsExactly("a");
        assertThat(refusal("{l: [a, 1]}", b -> b.texts("l", List.of())))
                .isEqualTo("/b/l must be a list of texts but was [\"a\",1]");
    }

    @Test
    void members_of_a_list_are_named_by_their_number() {
        assertThat(refusal("{l: [{n: 1}, {n: x}]}", b -> b.blocks("l").forEach(m -> m.integer("n", 0, 0, 9))))
                .startsWith("/b/l[2]/n must be a whole number");
    }

    @Test
    void a_block_that_is_something_else_is_refused() {
        assertThat(refusal("7", b -> {})).isEqualTo("/b must be a block of keys but was 7");
    }

    @Test
    void what_is_missing_and_required_is_refused() {
        assertThat(refusal("{}", b -> b.requiredText("what"))).startsWith("/b/what is required and must be a text");
    }
}
