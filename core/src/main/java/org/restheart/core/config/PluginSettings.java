package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Nearest;
import org.restheart.plugin.Settings;

/// A block whose keys its plugin knows, and nobody else. Confined to the thread that starts the server.
public final class PluginSettings implements Settings {
    private final String path;
    private final Map<String, @Nullable Object> values;
    private final Path folder;
    private final TreeSet<String> asked = new TreeSet<>();
    private final List<Finding> refused = new ArrayList<>();
    private final Map<String, PluginSettings> blocks = new HashMap<>();

    PluginSettings(String path, Map<String, @Nullable Object> values, Path folder) {
        this.path = path;
        this.values = values;
        this.folder = folder;
    }

    private @Nullable Object value(String key) {
        asked.add(key);
        return values.get(key);
    }

    @Override
    public String text(String key, String absent) {
        return text(key).orElse(absent);
    }

    /// Numbers and truth values are texts as they are written: passwords are often not quoted.
    @Override
    public Optional<String> text(String key) {
        return switch (value(key)) {
            case null -> Optional.empty();
            case Map<?, ?> _, List<?> _ -> refused(key, "must be a text", Optional.empty());
            case Object scalar -> Optional.of(scalar.toString());
        };
    }

    @Override
    public int integer(String key, int absent, int min, int max) {
        return switch (value(key)) {
            case null -> absent;
            case Integer number when number >= min && number <= max -> number;
            default -> refused(key, "must be a whole number from " + min + " to " + max, absent);
        };
    }

    @Override
    public boolean bool(String key, boolean absent) {
        return switch (value(key)) {
            case null -> absent;
            case Boolean truth -> truth;
            default -> refused(key, "must be true or false", absent);
        };
    }

    @Override
    public List<String> texts(String key) {
        return switch (value(key)) {
            case null -> List.of();
            case String text -> List.of(text);
            case List<?> list
            when list.stream().allMatch(String.class::isInstance) ->
                list.stream().map(String.class::cast).toList();
            default -> refused(key, "must be a list of texts", List.of());
        };
    }

    @Override
    public Optional<Path> file(String key) {
        return text(key).map(folder::resolve);
    }

    @Override
    public Settings block(String key) {
        return blocks.computeIfAbsent(key, _ -> {
            var block = value(key) instanceof Map<?, ?> map ? Trees.block(map) : Map.<String, @Nullable Object>of();
            if (value(key) != null && !(value(key) instanceof Map)) {
                refuse(key, "must be a block of keys");
            }
            return new PluginSettings(path + "/" + key, block, folder);
        });
    }

    @Override
    public void refuse(String key, String why) {
        refused.add(new Finding(Level.REFUSED, path + "/" + key, why));
    }

    private <T> T refused(String key, String why, T absent) {
        refuse(key, why); // without the value, which may be a secret
        return absent;
    }

    /// The values that cannot be used.
    public List<Finding> refused() {
        var all = new ArrayList<>(refused);
        blocks.values().forEach(block -> all.addAll(block.refused()));
        return all;
    }

    /// The keys that nobody has asked for, each with the nearest one that somebody has.
    public List<Finding> unknown() {
        var all = new ArrayList<Finding>();
        values.keySet().stream()
                .filter(key -> !asked.contains(key))
                .forEach(key -> all.add(
                        new Finding(Level.SUSPECT, path + "/" + key, "is not known" + Nearest.question(key, asked))));
        blocks.values().forEach(block -> all.addAll(block.unknown()));
        return all;
    }
}
