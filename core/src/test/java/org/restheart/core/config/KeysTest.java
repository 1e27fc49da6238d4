package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.Keys.Key;

/// With the system property `keys.write` (`./dev keys`), the file and the page are written instead of compared.
class KeysTest {
    private static final Path FILE = Path.of("../etc/restheart.yml");
    private static final Path PAGE = Path.of("../docs/reference/configuration.md");

    @Test
    void the_built_in_file_is_made_of_the_list() throws IOException {
        compare(FILE, "# ------", KeyDocuments.file());
    }

    @Test
    void the_built_in_file_has_the_defaults_of_the_list() throws IOException {
        assertThat(Yaml.parse(Files.readString(FILE), "restheart.yml", new Reading()))
                .isEqualTo(Keys.ROOT.builtIn());
    }

    @Test
    void the_reference_page_is_made_of_the_list() throws IOException {
        compare(PAGE, "\n## Listeners", "\n" + KeyDocuments.page());
    }

    /// @param from where the generated part begins
    private static void compare(Path path, String from, String generated) throws IOException {
        var text = Files.readString(path);
        int at = text.indexOf(from);
        assertThat(at).as("where the keys begin in " + path).isPositive();
        var wanted = text.substring(0, at) + generated;
        if (System.getProperty("keys.write") != null) {
            Files.writeString(path, wanted);
        } else {
            assertThat(text).as("./dev keys writes it").isEqualTo(wanted);
        }
    }

    @Test
    void every_key_is_read() {
        var read = new TreeSet<String>();
        var asked = new TreeSet<String>();
        GatewayConfig.read(Block.root(recorded("", Keys.ROOT, asked, read), new Reading()));
        asked.removeAll(read);
        assertThat(asked).isEmpty();
    }

    /// A configuration in which every component is on, which adds the keys that should be read, and those that are.
    private static Map<String, @Nullable Object> recorded(
            String path, Key block, Set<String> wanted, Set<String> read) {
        var values = new Recorded(path, read);
        block.keys().forEach((name, key) -> {
            var below = path + "/" + name;
            if (key.get("without").isPresent() || "any".equals(key.declared().get("type"))) {
                return;
            }
            if (key.isBlock()) {
                values.put(name, recorded(below, key, wanted, read));
            } else if (key.isList()) {
                wanted.add(below);
                values.put(name, List.of(recorded(below, key, wanted, read)));
            } else if (key.declared().containsKey("default")
                    || key.absent() != null
                    || key.get("text").isPresent()) {
                wanted.add(below);
                values.put(name, SET.get(name));
            }
        });
        return values;
    }

    /// Without which others are not read.
    private static final Map<String, Object> SET = Map.of("enabled", true, "login", true, "banner", "TEST");

    /// Notes which keys are asked for.
    private static final class Recorded extends LinkedHashMap<String, @Nullable Object> {
        private final transient Set<String> read;
        private final String path;

        private Recorded(String path, Set<String> read) {
            this.path = path;
            this.read = read;
        }

        @Override
        public @Nullable Object get(Object key) {
            read.add(path + "/" + key);
            return super.get(key);
        }
    }
}
