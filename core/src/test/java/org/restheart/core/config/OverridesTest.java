package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverridesTest {
    @TempDir
    private Path folder;

    private final Reading reading = new Reading();

    /// The tree after the overrides, as JSON on one line.
    private String result(String rho) {
        return result(rho, new LinkedHashMap<>());
    }

    private String result(String rho, Map<String, @Nullable Object> tree) {
        for (var assignment : new Overrides("RHO", reading).parse(rho)) {
            assignment.path().set(tree, assignment.value());
        }
        return Trees.inline(tree);
    }

    private List<String> findings() {
        return reading.findings().stream().map(Finding::toString).toList();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/a->1 | {\"a\":1}",
                "/a -> \"x\"; /b -> true | {\"a\":\"x\",\"b\":true}",
                "/a->'x' | {\"a\":\"x\"}",
                "/a->null | {\"a\":null}",
                "/a->-1.5 | {\"a\":-1.5}",
                "/a->5000000000 | {\"a\":5000000000}",
                "/a->[1, 'b', {c: 2}] | {\"a\":[1,\"b\",{\"c\":2}]}",
                "/a->\"x;y->z\" | {\"a\":\"x;y->z\"}",
                "/a->'it;is->quoted' | {\"a\":\"it;is->quoted\"}",
                "/a->\"say \\\"a;b\\\"\" | {\"a\":\"say \\\"a;b\\\"\"}",
                "/a/b[2]->1 | {\"a\":{\"b\":[null,1]}}",
                "/a/b[1]/c->1; /a/b[2]/c->2 | {\"a\":{\"b\":[{\"c\":1},{\"c\":2}]}}",
                "/a->'1'; /a->'2' | {\"a\":\"2\"}",
                "/a->{b: 1, c: 2}; /a->{c: 3} | {\"a\":{\"c\":3}}",
                ";; /a->1 ; | {\"a\":1}",
            })
    void sets_what_it_says(String rho, String json) {
        assertThat(result(rho)).isEqualTo(json);
        assertThat(findings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/a/b->{\"c\": 1, c: 2} | {\"a\":{\"b\":{\"c\":2}}}",
                "/a->[{b: {}, b: {c: 2}}] | {\"a\":[{\"b\":{\"c\":2}}]}",
            })
    void a_key_that_occurs_twice_within_a_value_is_told_and_the_last_one_counts(String rho, String json) {
        assertThat(result(rho)).isEqualTo(json);
        assertThat(findings()).singleElement().asString().contains("RHO: a key occurs twice, the last one counts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"over.json", "over.jsonc", "over.yml"})
    void a_path_that_a_file_sets_twice_is_told_and_the_last_value_counts(String name) throws Exception {
        var file = Files.writeString(folder.resolve(name), "{\"/core/name\": \"a\",\n\"/core/name\": \"b\"}");
        assertThat(Overrides.ofFile(file, reading)).singleElement().asString().startsWith("/core/name -> \"b\"");
        assertThat(findings())
                .singleElement()
                .asString()
                .contains(file + ": a key occurs twice, the last one counts")
                .contains("line 2");
    }

    @Test
    void line_breaks_between_entries_are_free() {
        assertThat(result("/a\n ->\n \"x\";\n\n   /b->2\n;")).isEqualTo("{\"a\":\"x\",\"b\":2}");
    }

    @Test
    void nothing_is_a_valid_text() {
        assertThat(result("")).isEqualTo("{}");
        assertThat(findings()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "core/name->'x' | invalid override, path must be absolute: core/name",
                "/core/name->x y | value is not valid json: /core/name",
                "/core/name-> | value is not valid json: /core/name",
                "/core/name->1 2 | value is not valid json: /core/name",
                "/core/name | missing '->' operator: /core/name",
                "core/name='x' | an override is written /block/key -> value",
                "/core/name='pa->ss' | missing '->' operator: /core/name",
                "/->1 | path cannot be read: /",
                "/a//b->1 | path cannot be read: /a//b",
                "/a/->1 | path cannot be read: /a/",
                "/a[0]->1 | list indexes count from 1",
                "/a[9999]->1 | list indexes count from 1",
                "/a[x]->1 | path cannot be read: /a[x]",
                "/a[1->1 | path cannot be read: /a[1",
            })
    void a_bad_entry_is_reported_and_left_out(String rho, String text) {
        assertThat(result(rho + "; /good->1")).isEqualTo("{\"good\":1}");
        assertThat(findings()).singleElement().asString().contains(text);
    }

    @Test
    void a_quote_that_is_not_closed_takes_the_rest_with_it() {
        assertThat(result("/core/name->'open; /good->1")).isEqualTo("{}");
        assertThat(findings()).singleElement().asString().contains("value is not valid json: /core/name");
    }

    @Test
    void what_may_be_a_secret_is_not_reported() {
        result("/a/password->hunter2 x; /b=hunter2; /c 'hunter2'");
        assertThat(findings()).hasSize(3).noneMatch(text -> text.contains("hunter2"));
    }

    @Test
    void a_member_of_a_list_is_found_by_its_key() {
        var tree =
                Yaml.parse("realm: {users: [{userid: ada, password: a}, {userid: admin, password: b}]}", "t", reading);
        assertThat(result("/realm/users[userid='admin']/password->'new'", tree))
                .isEqualTo("{\"realm\":{\"users\":[{\"userid\":\"ada\",\"password\":\"a\"},"
                        + "{\"userid\":\"admin\",\"password\":\"new\"}]}}");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/users[userid=\"ada\"]/age->1 | [{\"userid\":\"ada\",\"age\":1},7]",
                "/users[ @userid = ada ]/age->1 | [{\"userid\":\"ada\",\"age\":1},7]",
                "/users[2]->null | [{\"userid\":\"ada\"},null]",
            })
    void selectors_may_be_written_in_several_ways(String rho, String users) {
        var tree = Yaml.parse("users: [{userid: ada}, 7]", "t", reading);
        assertThat(result(rho, tree)).isEqualTo("{\"users\":" + users + "}");
    }

    private List<String> read(String name, String text) throws IOException {
        var file = Files.writeString(folder.resolve(name), text);
        return Overrides.ofFile(file, reading).stream()
                .map(a -> a.path().text() + "=" + Trees.inline(a.value()))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "o.yml   | /http-listener/host: 0.0.0.0%n/mongo/mongo-mounts[1]/what: '*'%n",
                "o.yaml  | {/http-listener/host: 0.0.0.0, '/mongo/mongo-mounts[1]/what': '*'}",
                "o.json  | {\"/http-listener/host\": \"0.0.0.0\", \"/mongo/mongo-mounts[1]/what\": \"*\"}",
                "o.jsonc | // ours%n{\"/http-listener/host\": \"0.0.0.0\", /* all */ \"/mongo/mongo-mounts[1]/what\": \"*\",}",
                "o.conf  | # ours; not an entry%n/http-listener/host%n  -> \"0.0.0.0\";%n # more%n/mongo/mongo-mounts[1]/what->'*'",
                "o.CONF  | /http-listener/host->'0.0.0.0';/mongo/mongo-mounts[1]/what->'*'",
            })
    void the_extension_says_how_it_is_written(String name, String text) throws IOException {
        assertThat(read(name, text.formatted()))
                .containsExactly("/http-listener/host=\"0.0.0.0\"", "/mongo/mongo-mounts[1]/what=\"*\"");
        assertThat(reading.findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"over.txt", "over", "over.yml.bak"})
    void another_extension_is_refused(String name) {
        assertThatThrownBy(() -> read(name, "/a->1"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "Configuration override file must have .json, .jsonc, .yml, .yaml or .conf extension: ")
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "o.yml | a: [ | is not valid YAML",
                "o.yml | [1] | must be a map",
                "o.json | {\"/a\": } | is not valid JSON at line 1",
                "o.json | [1] | must be a map",
                "o.json | {\"/a\": 1} x | is not valid JSON",
            })
    void a_file_that_cannot_be_read_is_refused(String name, String text, String reason) {
        assertThatThrownBy(() -> read(name, text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(reason);
    }

    @Test
    void a_bad_path_is_reported_and_the_rest_used() throws IOException {
        assertThat(read("o.yml", "core/name: x\n/core/name: y\n")).containsExactly("/core/name=\"y\"");
        assertThat(reading.findings()).singleElement().asString().contains("path must be absolute: core/name");
    }

    @Test
    void a_missing_file_is_named() {
        assertThatThrownBy(() -> Overrides.ofFile(folder.resolve("none.yml"), reading))
                .hasMessageContaining("none.yml");
    }
}
