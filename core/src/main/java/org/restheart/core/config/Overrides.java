package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

/// Reads overrides. One that is malformed is refused.
///
/// @param source such as `RHO` or the name of a file, for messages
record Overrides(String source, Reading reading) {
    /// One override. Immutable.
    ///
    /// @param value a tree of plain values
    record Assignment(OverridePath path, @Nullable Object value, String source) {
        /// For the log: secrets are masked.
        @Override
        public String toString() {
            return path.text() + " -> " + Trees.inline(Secrets.mask(path.text(), value)) + " (" + source + ")";
        }
    }

    /// The overrides of a file in its order; its extension determines the format.
    ///
    /// @throws ConfigException when the file cannot be read at all
    static List<Assignment> ofFile(Path file, Reading reading) {
        var name = file.toString();
        var overrides = new Overrides(name, reading);
        var extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return switch (extension) {
            case "yml", "yaml" -> overrides.assignments(Yaml.parse(Sources.text(file), name, reading));
            case "json", "jsonc" ->
                overrides.assignments(map(RelaxedJson.file(Sources.text(file), name, reading), name));
            case "conf" -> overrides.parse(withoutComments(Sources.text(file)));
            default ->
                throw ConfigException.of(
                        "Configuration override file must have .json, .jsonc, .yml, .yaml or .conf extension: " + name);
        };
    }

    private static String withoutComments(String text) {
        return text.lines().filter(line -> !line.stripLeading().startsWith("#")).collect(Collectors.joining("\n"));
    }

    private static Map<String, @Nullable Object> map(@Nullable Object value, String name) {
        if (value instanceof Map<?, ?> map) {
            return Trees.block(map);
        }
        throw ConfigException.of(name + " must be a map from paths to values");
    }

    private List<Assignment> assignments(Map<String, @Nullable Object> pairs) {
        var assignments = new ArrayList<Assignment>();
        pairs.forEach((path, value) -> {
            try {
                assignments.add(new Assignment(OverridePath.parse(path.strip()), value, source));
            } catch (ConfigException e) {
                report(e);
            }
        });
        return assignments;
    }

    private void report(ConfigException e) {
        reading.add(new Finding(Level.REFUSED, "", source + ": " + e.getMessage()));
    }

    /// The syntax of the environment variable `RHO` and of files that end in `.conf`: `path -> value` pairs, separated
    /// by `;`. Neither separates inside quotes.
    List<Assignment> parse(String text) {
        var assignments = new ArrayList<Assignment>();
        for (var entry : split(text)) {
            if (entry.isBlank()) {
                continue;
            }
            try {
                assignments.add(assignment(entry.strip()));
            } catch (ConfigException e) {
                report(e);
            }
        }
        return assignments;
    }

    private Assignment assignment(String entry) {
        int arrow = indexOutsideQuotes(entry, "->", 0);
        if (arrow < 0) {
            throw ConfigException.of("invalid override, missing '->' operator: " + beginning(entry)
                    + " (an override is written /block/key -> value)");
        }
        var path = OverridePath.parse(entry.substring(0, arrow).strip());
        return new Assignment(
                path, RelaxedJson.relaxed(entry.substring(arrow + 2).strip(), path.text(), source, reading), source);
    }

    /// The part that may be shown: the rest may be a secret.
    private static String beginning(String entry) {
        return entry.split("[\\s=:\"'{-]", 2)[0];
    }

    private static List<String> split(String text) {
        var entries = new ArrayList<String>();
        int from = 0;
        for (int end; (end = indexOutsideQuotes(text, ";", from)) >= 0; from = end + 1) {
            entries.add(text.substring(from, end));
        }
        entries.add(text.substring(from));
        return entries;
    }

    private static int indexOutsideQuotes(String text, String wanted, int from) {
        char quote = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == '\\') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (text.startsWith(wanted, i)) {
                return i;
            }
        }
        return -1;
    }

    /// JSON with single quotes, keys without quotes, comments and trailing commas.
    static final class RelaxedJson {
        private static final JsonMapper RELAXED = JsonMapper.builder()
                .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
                .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
                .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
                .build();

        /// Refuses keys that occur twice.
        private static final JsonMapper STRICT = RELAXED.rebuild()
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .build();

        private RelaxedJson() {}

        /// The one value of an override.
        ///
        /// @throws ConfigException naming the path; the value itself may be a secret
        static @Nullable Object relaxed(String text, String path, String source, Reading reading) {
            try {
                var tree = tree(text, source, reading);
                if (!tree.isMissingNode()) {
                    return RELAXED.treeToValue(tree, Object.class);
                }
            } catch (JacksonException e) {
                // its message would quote the value
            }
            throw ConfigException.of("invalid override, value is not valid json: " + path
                    + " (write true, false, a number, a \"text\" in quotes, [...] or {...})");
        }

        /// A file.
        ///
        /// @return null for an empty one
        /// @throws ConfigException with the position of the error
        static @Nullable Object file(String text, String name, Reading reading) {
            try {
                var tree = tree(text, name, reading);
                return tree.isMissingNode() ? null : RELAXED.treeToValue(tree, Object.class);
            } catch (JacksonException e) {
                throw ConfigException.of(name + " is not valid JSON" + place(e));
            }
        }

        private static String place(JacksonException e) {
            var at = e.getLocation();
            return at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        }

        private static JsonNode tree(String text, String name, Reading reading) {
            try {
                return STRICT.readTree(text);
            } catch (MismatchedInputException e) {
                var tree = RELAXED.readTree(text); // else it is refused for something else
                reading.add(
                        new Finding(Level.SUSPECT, "", name + ": a key occurs twice, the last one counts:" + place(e)));
                return tree;
            }
        }
    }

    /// Where an override goes: `/block/key`, `/list[1]/key` counting from 1, or
    /// `/users[userid='admin']/password`. Immutable.
    record OverridePath(String text, List<Step> steps) {
        /// One step of the path.
        sealed interface Step {
            record Key(String name) implements Step {}

            /// Counts from 1.
            record Index(int number) implements Step {}

            /// The first member of a list whose key has that value.
            record Member(String key, String value) implements Step {}
        }

        /// Bounds the nulls that a mistyped index can create.
        private static final int MAX_INDEX = 1_000;

        private static final Pattern STEP =
                Pattern.compile("/(?<key>[^/\\[\\]]+)(?<selectors>(?:\\[(?:'[^']*'|\"[^\"]*\"|[^'\"\\]])*\\])*)");
        private static final Pattern SELECTOR = Pattern.compile(
                "\\[\\s*(?:(?<index>\\d{1,9})"
                        + "|@?(?<key>[^=\\[\\]'\"]+?)\\s*=\\s*(?:'(?<single>[^']*)'|\"(?<double>[^\"]*)\"|(?<bare>[^'\"\\]]+?)))\\s*\\]");

        /// Reads a path.
        ///
        /// @throws ConfigException for a malformed path
        static OverridePath parse(String text) {
            if (!text.startsWith("/")) {
                throw ConfigException.of("invalid override, path must be absolute: " + text + "; write /" + text);
            }
            var steps = new ArrayList<Step>();
            var step = STEP.matcher(text);
            int end = 0;
            while (end < text.length() && step.find(end) && step.start() == end) {
                steps.add(new Step.Key(step.group("key").strip()));
                addSelectors(text, step.group("selectors"), steps);
                end = step.end();
            }
            if (end != text.length() || steps.isEmpty()) {
                throw ConfigException.of("invalid override, path cannot be read: " + text);
            }
            return new OverridePath(text, List.copyOf(steps));
        }

        private static void addSelectors(String text, String selectors, List<Step> steps) {
            var selector = SELECTOR.matcher(selectors);
            int end = 0;
            while (end < selectors.length()) {
                if (!selector.find(end) || selector.start() != end) {
                    throw ConfigException.of("invalid override, path cannot be read: " + text);
                }
                steps.add(selector(text, selector));
                end = selector.end();
            }
        }

        private static Step selector(String text, Matcher selector) {
            var index = selector.group("index");
            if (index == null) {
                for (var quoting : List.of("single", "double", "bare")) {
                    var value = selector.group(quoting);
                    if (value != null) {
                        return new Step.Member(selector.group("key").strip(), value);
                    }
                }
                throw new IllegalStateException("a selector without value: " + text);
            }
            int number = Integer.parseInt(index);
            if (number < 1 || number > MAX_INDEX) {
                throw ConfigException.of(
                        "invalid override, list indexes count from 1 to " + MAX_INDEX + " in path " + text);
            }
            return new Step.Index(number);
        }

        /// Sets the value and creates missing parents. A tree that cannot take the value is left unchanged.
        ///
        /// @return the path as findings have it: members of lists by their numbers
        /// @throws ConfigException saying why the value cannot be set
        String set(Map<String, @Nullable Object> tree, @Nullable Object value) {
            var path = new StringBuilder();
            put(tree, 0, value, path);
            return path.toString();
        }

        /// The node with the value set below it. Changes nothing before the remaining steps have succeeded.
        private @Nullable Object put(@Nullable Object node, int depth, @Nullable Object value, StringBuilder path) {
            if (depth == steps.size()) {
                return value;
            }
            return switch (steps.get(depth)) {
                case Step.Key(var name) -> {
                    var map = map(node, name);
                    path.append('/').append(name);
                    map.put(name, put(map.get(name), depth + 1, value, path));
                    yield map;
                }
                case Step.Index(var number) -> {
                    var list = list(node, "[" + number + "]");
                    path.append('[').append(number).append(']');
                    var member = put(number > list.size() ? null : list.get(number - 1), depth + 1, value, path);
                    while (list.size() < number) {
                        list.add(null);
                    }
                    list.set(number - 1, member);
                    yield list;
                }
                case Step.Member(var key, var wanted) -> {
                    var list = list(node, "[" + key + "='" + wanted + "']");
                    int found = indexOf(list, key, wanted);
                    path.append('[').append(found + 1).append(']');
                    list.set(found, put(list.get(found), depth + 1, value, path));
                    yield list;
                }
            };
        }

        private int indexOf(List<@Nullable Object> list, String key, String wanted) {
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i) instanceof Map<?, ?> map && wanted.equals(String.valueOf(map.get(key)))) {
                    return i;
                }
            }
            throw ConfigException.of("invalid override, no member has " + key + " '" + wanted + "' in path " + text);
        }

        @SuppressWarnings("unchecked") // trees have texts as keys throughout, see Trees.copy
        private Map<String, @Nullable Object> map(@Nullable Object node, String step) {
            return switch (node) {
                case null -> new LinkedHashMap<>();
                case Map<?, ?> map -> (Map<String, @Nullable Object>) map;
                default ->
                    throw ConfigException.of("invalid override, there is no block to hold " + step + " in path " + text
                            + (node instanceof List ? " (members of lists are written [1], [2], …)" : ""));
            };
        }

        @SuppressWarnings("unchecked") // a list of a tree takes any value of a tree
        private List<@Nullable Object> list(@Nullable Object node, String step) {
            return switch (node) {
                case null -> new ArrayList<>();
                case List<?> list -> (List<@Nullable Object>) list;
                default ->
                    throw ConfigException.of("invalid override, there is no list to hold " + step + " in path " + text);
            };
        }
    }
}
