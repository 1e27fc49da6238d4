package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.config.Overrides.OverridePath;

class OverridePathTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/scalar/b | there is no block to hold b",
                "/list/b | there is no block to hold b",
                "/list/0/b | members of lists are written [1], [2]",
                "/scalar[1] | there is no list to hold [1]",
                "/map[1] | there is no list to hold [1]",
                "/map[k='v'] | there is no list to hold",
                "/list[k='v']/x | no member has k 'v'",
                "/fresh[k='v']/x | no member has k 'v'",
                "/list[3]/a[k='v'] | no member has k 'v'",
            })
    void what_cannot_be_set_changes_nothing(String path, String reason) {
        var tree = Yaml.parse("{scalar: 1, list: [1, 2], map: {a: 1}}", "t", new Reading());
        var before = Trees.inline(tree);
        assertThatThrownBy(() -> OverridePath.parse(path).set(tree, "x"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining(path);
        assertThat(Trees.inline(tree)).isEqualTo(before);
    }
}
