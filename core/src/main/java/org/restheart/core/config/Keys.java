package org.restheart.core.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.text.Words;

/// The list of all keys of the configuration, `keys.yml`, which says what its entries mean. Immutable.
final class Keys {
    /// The whole configuration, as a block.
    static final Key ROOT;

    /// Components whose work is always done.
    static final Set<String> ALWAYS_ON;

    /// Components that others have.
    static final Set<String> ELSEWHERE;

    private static final Set<String> SECRETS;
    private static final Set<String> NO_SECRETS;

    static {
        var list = Yaml.parse(Sources.builtIn("keys.yml"), "keys.yml", new Reading());
        ALWAYS_ON = Words.of(String.valueOf(list.get("always-on")));
        ELSEWHERE = Words.of(String.valueOf(list.get("elsewhere")));
        var root = new Key("", Map.of("settings", true, "keys", list.getOrDefault("keys", Map.of())));
        ALWAYS_ON.forEach(name -> root.keys.put(name, new Key(name, Map.of("keys", Map.of()))));
        ROOT = root;
        SECRETS = ROOT.names(Key::isSecret);
        NO_SECRETS = ROOT.names(key -> !key.isSecret());
    }

    /// A second variable of that key; empty, it does not count.
    static final String ADMIN_PASSWORD = "RESTHEART_ADMIN_PASSWORD";

    private Keys() {}

    /// The environment variables of keys, by their names, such as `RESTHEART_MONGO_MAX_PAGESIZE`.
    static Map<String, Variable> variables() {
        return Variables.ALL;
    }

    record Variable(String path, Form form) {
        enum Form {
            TEXT,
            JSON,
            /// The name of a file that has the value.
            FILE
        }

        private static Variable of(String path, Key key) {
            var type = key.get("type").orElse("");
            var value = key.declared.getOrDefault("default", key.declared.get("absent"));
            boolean flag = key.name.equals("enabled") || key.name.equals("secured");
            boolean isText = Set.of("text", "path").contains(type)
                    || (type.isEmpty() && !flag && (value == null || value instanceof String));
            return new Variable(path, isText ? Form.TEXT : Form.JSON);
        }
    }

    /// Made when one is looked up, which few starts do.
    private static final class Variables {
        private static final String PREFIX = "RESTHEART";
        private static final Map<String, Variable> ALL = new HashMap<>();

        static {
            add(PREFIX, "", ROOT);
            var password = "/mongoRealmAuthenticator/create-user-password";
            ALL.put(ADMIN_PASSWORD, new Variable(password, Variable.Form.TEXT));
            Map.copyOf(ALL)
                    .forEach((name, value) ->
                            ALL.putIfAbsent(name + "_FILE", new Variable(value.path, Variable.Form.FILE)));
        }

        private static void add(String name, String path, Key block) {
            block.keys.forEach((key, entry) -> {
                var variable = name + "_"
                        + key.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_")
                                .replace('-', '_')
                                .toUpperCase(Locale.ROOT);
                var below = path + "/" + key;
                if (entry.isBlock()) {
                    add(variable, below, entry);
                } else if (!entry.declared.containsKey("without")) {
                    var other = ALL.put(variable, Variable.of(below, entry));
                    if (other != null) {
                        throw new IllegalStateException(variable + " is " + below + " and " + other.path);
                    }
                }
            });
        }
    }

    /// Whether keys of this name are secret; empty for a name that is not in the list.
    static Optional<Boolean> isSecret(String name) {
        return SECRETS.contains(name) ? Optional.of(true) : Optional.of(false).filter(_ -> NO_SECRETS.contains(name));
    }

    /// One key, or a block of keys, or a list of such blocks.
    ///
    /// @param keys of the block, or of each in the list of blocks
    record Key(String name, Map<String, @Nullable Object> declared, Map<String, Key> keys) {
        private static final List<String> COMPONENT = List.of("enabled", "uri", "secured");

        Key(String name, Map<String, @Nullable Object> declared) {
            this(name, declared, new LinkedHashMap<>());
            if (isBlock() && !is("settings")) {
                COMPONENT.forEach(key -> keys.put(key, of(key, common(key))));
            }
            if (declared.get("keys") instanceof Map<?, ?> below) {
                below.forEach((key, entry) -> keys.put(String.valueOf(key), of(String.valueOf(key), entry)));
            }
        }

        /// A key of every component, of which its block has the default value or the whole entry.
        private Map<String, @Nullable Object> common(String key) {
            var entry = new LinkedHashMap<String, @Nullable Object>();
            switch (declared.get(key)) {
                case null -> {}
                case Map<?, ?> map -> entry.putAll(Trees.block(map));
                case Object value -> entry.put(key.equals("secured") ? "absent" : "default", value);
            }
            if (key.equals("secured")) {
                entry.put("former", List.of("secure"));
            }
            return entry;
        }

        private static Key of(String name, @Nullable Object entry) {
            var declared = entry instanceof Map<?, ?> map ? Trees.block(map) : Map.<String, @Nullable Object>of();
            return new Key(name, declared);
        }

        boolean is(String property) {
            return Boolean.TRUE.equals(declared.get(property));
        }

        Optional<String> get(String property) {
            return Optional.ofNullable(declared.get(property)).map(String::valueOf);
        }

        boolean isBlock() {
            return !isList() && (declared.containsKey("keys") || declared.containsKey("enabled"));
        }

        boolean isList() {
            return "blocks".equals(declared.get("type"));
        }

        boolean isSecret() {
            return is("secret");
        }

        /// What counts where a file leaves the key out; null for nothing.
        @Nullable
        Object absent() {
            return declared.containsKey("absent") ? declared.get("absent") : declared.get("default");
        }

        long min() {
            return declared.get("min") instanceof Number number ? number.longValue() : 0;
        }

        long max() {
            return switch (declared.get("max")) {
                case Number number -> number.longValue();
                case null -> Integer.MAX_VALUE;
                default -> Long.MAX_VALUE;
            };
        }

        /// What a value may be; empty for anything of its type.
        List<Object> values() {
            return declared.get("values") instanceof List<?> list ? List.copyOf(list) : List.of();
        }

        List<String> former() {
            return declared.get("former") instanceof List<?> list
                    ? list.stream().map(String::valueOf).toList()
                    : List.of();
        }

        /// The block as the built-in configuration has it.
        Map<String, @Nullable Object> builtIn() {
            var block = new LinkedHashMap<String, @Nullable Object>();
            keys.forEach((key, entry) -> {
                if (entry.declared.containsKey("default")) {
                    block.put(key, Trees.copyOf(entry.declared.get("default")));
                } else if (entry.isBlock()) {
                    var below = entry.builtIn();
                    if (!below.isEmpty()) {
                        block.put(key, below);
                    }
                }
            });
            return block;
        }

        private Set<String> names(Predicate<Key> wanted) {
            var names = new HashSet<String>();
            keys.values().forEach(key -> {
                if (key.isBlock() || key.isList()) {
                    names.addAll(key.names(wanted));
                } else if (wanted.test(key)) {
                    names.add(key.name);
                }
            });
            return names;
        }

        @Override
        public String toString() {
            return keys.keySet().stream().collect(Collectors.joining(", ", name + " {", "}"));
        }
    }
}
