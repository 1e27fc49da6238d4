package org.restheart.core.config;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Nearest;

/// Reports keys of known blocks that are not in [Keys], with the most similar one that is, and those without effect.
/// Unknown blocks of a file are legal: they are the arguments of plugins.
final class UnknownKeys {
    private UnknownKeys() {}

    /// @param onlyOverridden blocks that overrides have made, of which unknown ones are refused
    static void report(Map<String, @Nullable Object> tree, Set<String> onlyOverridden, Reading reading) {
        tree.forEach((name, value) -> {
            var key = Keys.ROOT.keys().get(name);
            if (key == null) {
                reportBlock(name, value, onlyOverridden.contains(name), reading);
            } else {
                report("/" + name, key, value, reading);
            }
        });
    }

    /// Reports what is in a value.
    static void report(String path, Keys.Key key, @Nullable Object value, Reading reading) {
        key.get("without")
                .filter(_ -> !Keys.ALWAYS_ON.contains(key.name()))
                .ifPresent(reason -> reportWithout(path, key, reason, value, reading));
        if (Keys.ALWAYS_ON.contains(key.name()) && Boolean.FALSE.equals(member(value, "enabled"))) {
            reading.add(new Finding(Level.ADVICE, path + "/enabled", "has no effect: this is always done here"));
        }
        if (value instanceof List<?> list && key.isList()) {
            for (int i = 0; i < list.size(); i++) {
                reportMembers(path + "[" + (i + 1) + "]", key, list.get(i), reading);
            }
        } else if (key.isBlock() || path.isEmpty()) {
            reportMembers(path, key, value, reading);
        }
    }

    private static void reportMembers(String path, Keys.Key block, @Nullable Object value, Reading reading) {
        if (!(value instanceof Map<?, ?> members)) {
            return;
        }
        Trees.block(members).forEach((name, member) -> {
            var key = block.keys().get(name);
            if (key != null) {
                report(path + "/" + name, key, member, reading);
            } else if (!block.is("open")
                    && block.keys().values().stream().noneMatch(k -> k.former().contains(name))) {
                reading.unknown(
                        path + "/" + name,
                        "is not known" + Nearest.question(name, block.keys().keySet()));
            }
        });
    }

    private static void reportWithout(
            String path, Keys.Key key, String reason, @Nullable Object value, Reading reading) {
        if (key.isBlock()) {
            if (Boolean.TRUE.equals(member(value, "enabled"))) {
                reading.add(new Finding(Level.ADVICE, path, "is enabled, but " + reason));
            }
        } else if (value != null && !Objects.equals(value, key.declared().get("usual"))) {
            reading.add(new Finding(Level.ADVICE, path, "has no effect: " + reason));
        }
    }

    private static void reportBlock(String name, @Nullable Object value, boolean onlyOverridden, Reading reading) {
        var path = "/" + name;
        var hint = Nearest.question(name, Keys.ROOT.keys().keySet());
        if (name.startsWith("/")) {
            reading.add(new Finding(
                    Level.SUSPECT, name, "is an override, which this file cannot have: such a file is given with -o"));
        } else if (!(value instanceof Map)) {
            reading.unknown(path, "is not known" + (hint.isEmpty() ? ofBlock(name) : hint));
        } else if (onlyOverridden && !Keys.ELSEWHERE.contains(name)) {
            reading.add(new Finding(Level.REFUSED, path, "is not known" + hint));
        } else if (!hint.isEmpty()) {
            reading.unknown(path, "is taken for the arguments of a plugin" + hint);
        } else if (Boolean.TRUE.equals(member(value, "enabled"))) {
            reading.add(new Finding(
                    Level.ADVICE,
                    path,
                    "is enabled, but has no effect: this release has no such component, and no plugins"));
        } else {
            reading.add(new Finding(Level.DETAIL, path, "is taken for the arguments of a plugin"));
        }
    }

    /// The text `; did you mean …?` if exactly one block has a key of this name.
    private static String ofBlock(String key) {
        var blocks = Keys.ROOT.keys().values().stream()
                .filter(block -> block.keys().containsKey(key))
                .map(Keys.Key::name)
                .toList();
        return blocks.size() == 1 ? "; did you mean /" + blocks.getFirst() + "/" + key + "?" : "";
    }

    private static @Nullable Object member(@Nullable Object value, String key) {
        return value instanceof Map<?, ?> map ? map.get(key) : null;
    }
}
