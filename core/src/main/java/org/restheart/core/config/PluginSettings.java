package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.plugin.Settings;
import org.restheart.text.Nearest;

/// A block whose keys its plugin knows, and nobody else. Confined to the thread that starts the server.
public final class PluginSettings implements Settings {
    /// Keys that the gateway asks for itself.
    private static final Set<String> COMMON = Set.of("enabled", "uri", "secured", "priority", "replaces");

    private final String path;
    private final Map<String, @Nullable Object> values;
    private final Path folder;
    private final TreeSet<String> asked = new TreeSet<>();
    private final List<Finding> refused = new ArrayList<>();
    private final List<Finding> advised = new ArrayList<>();
    private final Map<String, PluginSettings> blocks = new HashMap<>();

    PluginSettings(String path, Map<String, @Nullable Object> values, Path folder) {
        this.path = path;
        this.values = values;
        this.folder = folder;
    }

    /// What a value is read as.
    @FunctionalInterface
    private interface Reader<T> {
        /// Null for a value that cannot be used.
        @Nullable
        T read(Object value);
    }

    /// @param must what is said of a value that cannot be used, without the value, which may be a secret
    private <T> Optional<T> value(String key, String must, Reader<T> reader) {
        asked.add(key);
        var value = values.get(key);
        if (value == null) {
            return Optional.empty();
        }
        var read = Optional.ofNullable(reader.read(value));
        if (read.isEmpty()) {
            refuse(key, must);
        }
        return read;
    }

    @Override
    public String text(String key, String absent) {
        return text(key).orElse(absent);
    }

    /// Numbers and truth values are texts as they are written: passwords are often not quoted.
    @Override
    public Optional<String> text(String key) {
        return value(
                key,
                "must be a text",
                value -> value instanceof Map || value instanceof List ? null : value.toString());
    }

    @Override
    public int integer(String key, int absent, int min, int max) {
        return value(
                        key,
                        "must be a whole number from " + min + " to " + max,
                        value -> value instanceof Integer number && number >= min && number <= max ? number : null)
                .orElse(absent);
    }

    @Override
    public boolean bool(String key, boolean absent) {
        return value(key, "must be true or false", value -> value instanceof Boolean truth ? truth : null)
                .orElse(absent);
    }

    /// Whether callers of its first endpoint need a permission.
    public boolean isSecured(boolean absent) {
        boolean former = bool("secure", absent);
        if (values.containsKey("secure")) {
            advised.add(new Finding(
                    Level.SUSPECT, path + "/secure", "is read as \"secured\", which is the name of this key"));
        }
        return bool("secured", former);
    }

    @Override
    public List<String> texts(String key) {
        return value(key, "must be a list of texts", PluginSettings::texts).orElse(List.of());
    }

    private static @Nullable List<String> texts(Object value) {
        var all = value instanceof List<?> list ? list : List.of(value);
        return all.stream().allMatch(String.class::isInstance)
                ? all.stream().map(String.class::cast).toList()
                : null;
    }

    @Override
    public Optional<Path> file(String key) {
        return text(key).map(folder::resolve);
    }

    @Override
    public Settings block(String key) {
        return blocks.computeIfAbsent(key, _ -> {
            var block = value(
                    key, "must be a block of keys", value -> value instanceof Map<?, ?> map ? Trees.block(map) : null);
            return new PluginSettings(path + "/" + key, block.orElse(Map.of()), folder);
        });
    }

    @Override
    public void refuse(String key, String why) {
        refused.add(new Finding(Level.REFUSED, path + "/" + key, why));
    }

    /// The values that cannot be used.
    public List<Finding> refused() {
        var all = new ArrayList<>(refused);
        blocks.values().forEach(block -> all.addAll(block.refused()));
        return all;
    }

    /// What is wrong after [org.restheart.plugin.Plugin#check]; keys that it has not asked for, too, unless
    /// it has asked for none.
    public List<Finding> checked() {
        var wrong = new ArrayList<>(refused());
        asked.addAll(COMMON);
        if (asked.size() > COMMON.size()) {
            wrong.addAll(unknown());
        }
        return wrong;
    }

    /// The keys that nobody has asked for, each with the nearest one that somebody has, and those with a former name.
    public List<Finding> unknown() {
        var all = new ArrayList<>(advised);
        values.keySet().stream()
                .filter(key -> !asked.contains(key))
                .forEach(key -> all.add(
                        new Finding(Level.SUSPECT, path + "/" + key, "is not known" + Nearest.question(key, asked))));
        blocks.values().forEach(block -> all.addAll(block.unknown()));
        return all;
    }
}
