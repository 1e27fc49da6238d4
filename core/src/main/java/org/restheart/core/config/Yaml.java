package org.restheart.core.config;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.DuplicateKeyException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// YAML 1.2 with anchors and merge keys; no custom tags. Thread-safe.
public final class Yaml {
    /// Characters; a configuration is some tens of kilobytes, a file of users may be larger.
    private static final int MAX_LENGTH = 16 * 1024 * 1024;

    private Yaml() {}

    /// The blocks of a file. An empty file has none. A key that occurs twice is reported; the last one counts.
    ///
    /// @throws ConfigException when it is not YAML or not a map
    static Map<String, @Nullable Object> parse(String text, String name, Reading reading) {
        Object value;
        try {
            value = load(text, name, false);
        } catch (DuplicateKeyException e) {
            reading.add(
                    new Finding(Level.SUSPECT, "", name + ": a key occurs twice, the last one counts: " + reason(e)));
            value = load(text, name, true);
        }
        return switch (value) {
            case null -> new LinkedHashMap<>();
            case Map<?, ?> map -> Trees.copy(map);
            case String scalar
            when scalar.contains(":") ->
                throw ConfigException.of(name + " must be a map of blocks; a blank is missing behind a colon");
            default -> throw ConfigException.of(name + " must be a map of blocks");
        };
    }

    /// The JSON text of a file's value. An empty file is an empty object.
    ///
    /// @throws ConfigException when it is not YAML, or a key occurs twice
    public static String json(String text, String name) {
        try {
            var value = load(text, name, false);
            return value == null ? "{}" : Trees.inline(Trees.copyOf(value));
        } catch (DuplicateKeyException e) {
            throw ConfigException.of(name + ": a key occurs twice: " + reason(e));
        }
    }

    private static @Nullable Object load(String text, String name, boolean duplicates) {
        var settings = LoadSettings.builder()
                .setLabel(name)
                .setSchema(new CoreSchema())
                .setAllowDuplicateKeys(duplicates)
                .setCodePointLimit(MAX_LENGTH)
                .build();
        try {
            return new Load(settings).loadFromString(text);
        } catch (DuplicateKeyException e) {
            throw e;
        } catch (YamlEngineException e) {
            throw ConfigException.of(name + " is not valid YAML: " + reason(e));
        }
    }

    /// The position without the file's text, which may contain secrets.
    private static String reason(YamlEngineException e) {
        var message = String.valueOf(e.getMessage());
        return message.lines()
                .filter(line -> !line.startsWith("   "))
                .map(String::strip)
                .reduce((a, b) -> a + " " + b)
                .orElse(message);
    }

    /// The tree in block style, without comments.
    static String print(Map<String, @Nullable Object> tree) {
        var settings = DumpSettings.builder()
                .setSchema(new CoreSchema())
                .setDefaultFlowStyle(FlowStyle.BLOCK)
                .setDereferenceAliases(true)
                .setIndicatorIndent(2)
                .setIndentWithIndicator(true)
                .setWidth(120)
                .setSplitLines(false)
                .build();
        return new Dump(settings).dumpToString(tree);
    }
}
