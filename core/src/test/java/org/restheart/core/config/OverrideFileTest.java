package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverrideFileTest {
    @TempDir
    private Path folder;

    private final Reading reading = new Reading();

    private List<String> read(String name, String text) throws IOException {
        var file = Files.writeString(folder.resolve(name), text);
        return new OverrideFile(file, reading)
                .read().stream()
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
        assertThatThrownBy(() -> new OverrideFile(folder.resolve("none.yml"), reading).read())
                .hasMessageContaining("none.yml");
    }
}
