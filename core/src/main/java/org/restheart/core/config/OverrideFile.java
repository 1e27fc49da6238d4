package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;

/// A file of overrides; its extension determines the format.
record OverrideFile(Path file, Reading reading) {
    /// The overrides in the file's order.
    ///
    /// @throws ConfigException when the file cannot be read at all
    List<Assignment> read() {
        var name = file.toString();
        var extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return switch (extension) {
            case "yml", "yaml" -> assignments(Yaml.parse(ConfigFile.text(file), name, reading));
            case "json", "jsonc" -> assignments(map(RelaxedJson.file(ConfigFile.text(file), name)));
            case "conf" -> new OverrideText(name, reading).parse(withoutComments(ConfigFile.text(file)));
            default ->
                throw ConfigException.of(
                        "Configuration override file must have .json, .jsonc, .yml, .yaml or .conf extension: " + name);
        };
    }

    private static String withoutComments(String text) {
        return text.lines().filter(line -> !line.stripLeading().startsWith("#")).collect(Collectors.joining("\n"));
    }

    private Map<String, @Nullable Object> map(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return Trees.block(map);
        }
        throw ConfigException.of(file + " must be a map from paths to values");
    }

    private List<Assignment> assignments(Map<String, @Nullable Object> pairs) {
        var assignments = new ArrayList<Assignment>();
        pairs.forEach((path, value) -> {
            try {
                assignments.add(new Assignment(OverridePath.parse(path.strip()), value, file.toString()));
            } catch (ConfigException e) {
                reading.add(new Finding(Level.SUSPECT, "", file + ": " + e.getMessage()));
            }
        });
        return assignments;
    }
}
