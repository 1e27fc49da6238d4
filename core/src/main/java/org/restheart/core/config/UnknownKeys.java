package org.restheart.core.config;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Nearest;

/// Reports unknown keys of known blocks with the most similar known key. A key is known when it was read, when it is in
/// the built-in configuration, or when [KnownKeys] lists it. Unknown blocks are legal: they are the arguments of
/// plugins.
record UnknownKeys(Map<String, @Nullable Object> builtIn) {
    void report(Map<String, @Nullable Object> tree, Reading reading) {
        reading.visits().forEach((path, visit) -> report(path, visit.values(), known(path, visit.asked()), reading));
        tree.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map && !reading.visits().containsKey("/" + name) && isKnownBlock(name)) {
                reportBelow("/" + name, map, reading);
            }
        });
    }

    /// A block without reader: its component does not exist, but its keys are known.
    private void reportBelow(String path, Map<?, ?> map, Reading reading) {
        report(path, Trees.block(map), known(path, Set.of()), reading);
        map.forEach((key, value) -> {
            if (value instanceof Map<?, ?> below && builtInBlock(path + "/" + key) != null) {
                reportBelow(path + "/" + key, below, reading);
            }
        });
    }

    private void report(String path, Map<String, @Nullable Object> values, Set<String> known, Reading reading) {
        values.forEach((key, value) -> {
            if (!known.contains(key)) {
                if (path.isEmpty()) {
                    reportTop(key, value, known, reading);
                } else {
                    reading.add(new Finding(Level.SUSPECT, path + "/" + key, "is not known" + hint(key, known)));
                }
            }
        });
    }

    private static void reportTop(String key, @Nullable Object value, Set<String> known, Reading reading) {
        var hint = hint(key, known);
        if (key.startsWith("/")) {
            reading.add(new Finding(
                    Level.SUSPECT, key, "is an override, which this file cannot have: such a file is given with -o"));
        } else if (!(value instanceof Map)) {
            reading.add(new Finding(Level.SUSPECT, "/" + key, "is not known" + hint));
        } else {
            var level = hint.isEmpty() ? Level.DETAIL : Level.SUSPECT;
            reading.add(new Finding(level, "/" + key, "is taken for the arguments of a plugin" + hint));
        }
    }

    private static String hint(String key, Collection<String> known) {
        return Nearest.to(key, known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("");
    }

    private Set<String> known(String path, Set<String> asked) {
        var known = new LinkedHashSet<>(asked);
        var block = builtInBlock(path);
        if (block != null) {
            block.keySet().forEach(key -> known.add(String.valueOf(key)));
        }
        known.addAll(KnownKeys.of(path));
        return known;
    }

    private boolean isKnownBlock(String name) {
        return KnownKeys.areClosed(name)
                && (builtIn.containsKey(name) || KnownKeys.of("").contains(name));
    }

    /// The block of the built-in configuration at a path.
    private @Nullable Map<?, ?> builtInBlock(String path) {
        Object node = builtIn;
        for (var step : path.split("/", -1)) {
            if (!step.isEmpty()) {
                node = node instanceof Map<?, ?> map ? map.get(step) : null;
            }
        }
        return node instanceof Map<?, ?> map ? map : null;
    }
}
