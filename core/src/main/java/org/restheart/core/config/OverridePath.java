package org.restheart.core.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where an override goes: `/block/key`, `/list[1]/key` counting from 1, or `/users[userid='admin']/password`.
/// Immutable.
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
