package org.restheart.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Keys.Key;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// Writes the list of keys as the built-in configuration file, and as the keys of the reference page.
final class KeyDocuments {
    private static final int WIDTH = 118;

    private final Map<String, @Nullable Object> sections;
    private final StringBuilder text = new StringBuilder();

    private KeyDocuments() {
        var list = Yaml.parse(Sources.builtIn("keys.yml"), "keys.yml", new Reading());
        this.sections = list.get("sections") instanceof Map<?, ?> map ? Trees.block(map) : Map.of();
    }

    /// `etc/restheart.yml`, without what it begins with.
    static String file() {
        var documents = new KeyDocuments();
        Keys.ROOT.keys().forEach((name, key) -> {
            if (!hasEffect(key) || (key.isBlock() && key.builtIn().isEmpty())) {
                return;
            }
            Optional.ofNullable(documents.sections.get(name))
                    .ifPresent(section -> documents
                            .text
                            .append("# ")
                            .append("-"
                                    .repeat(WIDTH - 8 - String.valueOf(section).length()))
                            .append(' ')
                            .append(String.valueOf(section).toLowerCase(Locale.ROOT))
                            .append(" ----\n\n"));
            documents.entry(name, key, "");
            if (key.isBlock() || key.isList()) {
                documents.text.append('\n');
            }
        });
        return documents.text.toString().stripTrailing() + "\n";
    }

    private void entry(String name, Key key, String indent) {
        if (key.isBlock()) {
            comment(
                    indent,
                    description(key)
                            + key.get("see").map(page -> " docs/" + page).orElse(""));
            text.append(indent).append(name).append(":\n");
            key.keys().forEach((below, entry) -> entry(below, entry, indent + "  "));
        } else if (key.declared().containsKey("default")) {
            comment(indent, described(key));
            if (key.isList()) {
                key.keys().forEach((below, entry) -> comment(indent + "  ", below + ": " + described(entry)));
            }
            text.append(indent)
                    .append(name)
                    .append(": ")
                    .append(flow(key.declared().get("default")))
                    .append('\n');
        } else if (hasEffect(key) && key.get("text").isPresent()) {
            comment(indent, name + ": " + described(key));
        }
    }

    private static String described(Key key) {
        var bounds = bounds(key);
        return (description(key) + (bounds.isEmpty() ? "" : " (" + String.join("; ", bounds) + ")")).strip();
    }

    private void comment(String indent, String words) {
        var line = new StringBuilder();
        for (var word : words.isBlank() ? new String[0] : words.strip().split("\\s+")) {
            if (!line.isEmpty() && indent.length() + line.length() + word.length() + 3 > WIDTH) {
                text.append(indent).append("# ").append(line).append('\n');
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty()) {
            text.append(indent).append("# ").append(line).append('\n');
        }
    }

    /// The keys of `docs/reference/configuration.md`.
    static String page() {
        var documents = new KeyDocuments();
        Keys.ROOT.keys().forEach((name, key) -> {
            Optional.ofNullable(documents.sections.get(name))
                    .ifPresent(section ->
                            documents.text.append("\n## ").append(section).append('\n'));
            if (key.isBlock() && hasEffect(key) && !Keys.ALWAYS_ON.contains(name)) {
                documents.block(name, key);
            } else if (key.isList()) {
                documents.block(name, key);
            } else if (!key.isBlock()) {
                documents.row(name, key, "");
            }
        });
        documents.text.append("\n## Keys without effect\n\n");
        documents
                .text
                .append("The start says why: ")
                .append(withoutEffect("", Keys.ROOT).stream()
                        .map(name -> "`" + name + "`")
                        .collect(Collectors.joining(", ")))
                .append(".\n");
        return documents.text.toString().strip() + "\n";
    }

    private void block(String name, Key key) {
        var state = new ArrayList<String>();
        Function<String, Optional<Key>> common = below -> key.is("settings")
                ? Optional.empty()
                : Optional.ofNullable(key.keys().get(below));
        common.apply("enabled").flatMap(KeyDocuments::enabled).ifPresent(state::add);
        common.apply("uri").map(Key::absent).ifPresent(uri -> state.add("at `" + uri + "`"));
        common.apply("secured")
                .map(Key::absent)
                .ifPresent(secured -> state.add(secured.equals(true) ? "secured" : "public"));
        text.append("\n### `").append(name).append("`\n\n");
        var about = (state.isEmpty() ? "" : "(" + String.join(", ", state) + ") ")
                + description(key)
                + key.get("see").map(page -> " ([more](../" + page + "))").orElse("");
        text.append(about.isEmpty() ? "" : about.strip() + "\n\n");
        key.keys().forEach((below, entry) -> {
            boolean isCommon = !key.is("settings")
                    && List.of("enabled", "uri", "secured").contains(below)
                    && !(key.declared().get("keys") instanceof Map<?, ?> own && own.containsKey(below));
            if (isCommon && !key.isList()) {
                return;
            }
            row(below, entry, "");
        });
    }

    private static Optional<String> enabled(Key enabled) {
        var builtIn = enabled.declared().get("default");
        var absent = enabled.absent();
        return switch (absent) {
            case Boolean on when builtIn == null || on.equals(builtIn) -> Optional.of(state(on));
            case Boolean on -> Optional.of(state(Boolean.TRUE.equals(builtIn)) + ", " + state(on) + " if absent");
            case null -> Optional.empty();
            default -> Optional.ofNullable(builtIn).map(on -> state(on.equals(true)));
        };
    }

    private static String state(boolean on) {
        return on ? "on" : "off";
    }

    private void row(String name, Key key, String indent) {
        if (!hasEffect(key)) {
            return;
        }
        var facts = new ArrayList<String>();
        if (key.declared().containsKey("default") && !key.isBlock()) {
            facts.add(shown(key.declared().get("default")));
        } else if (key.absent() != null) {
            facts.add(shown(key.absent()));
        }
        facts.addAll(bounds(key));
        var row = "`" + name + "`" + (facts.isEmpty() ? "" : " (" + String.join("; ", facts) + ")");
        var description = description(key);
        var last = text.substring(text.lastIndexOf("\n", text.length() - 2) + 1).strip();
        if (description.isEmpty()
                && last.startsWith("- `")
                && last.endsWith(")")
                && !last.contains("): ")
                && text.charAt(text.length() - 2) == ')') { // one line for keys that their names explain
            text.setLength(text.length() - 1);
            text.append(", ").append(row).append('\n');
        } else {
            text.append(indent).append("- ").append(row);
            text.append(description.isEmpty() ? "" : ": " + description).append('\n');
        }
        if (key.isBlock() || key.isList()) {
            key.keys().forEach((below, entry) -> row(below, entry, indent + "  "));
        }
    }

    /// The paths of keys that have no effect.
    private static List<String> withoutEffect(String path, Key block) {
        var names = new ArrayList<String>();
        block.keys().forEach((name, key) -> {
            var below = path.isEmpty() ? name : path + "." + name;
            if (!hasEffect(key)) {
                names.add(below);
            } else if (key.isBlock()) {
                names.addAll(withoutEffect(below, key));
            }
        });
        return names;
    }

    private static boolean hasEffect(Key key) {
        return key.get("without").isEmpty() && key.get("note").isEmpty();
    }

    private static String description(Key key) {
        return key.get("text").orElse("").strip();
    }

    /// What the value may be, its unit, and what counts where the key is absent.
    private static List<String> bounds(Key key) {
        var bounds = new ArrayList<String>();
        var unit = key.get("unit").map(name -> " " + name).orElse("");
        if (!key.values().isEmpty()) {
            bounds.add(key.values().stream().map(String::valueOf).collect(Collectors.joining(", ")));
        } else if (key.max() != Integer.MAX_VALUE && key.max() != Long.MAX_VALUE && key.min() > Integer.MIN_VALUE) {
            bounds.add(key.min() + ".." + key.max() + unit);
        } else if (key.min() > 0) {
            bounds.add("from " + key.min() + unit);
        } else if (!unit.isEmpty()) {
            bounds.add(unit.strip());
        }
        if (key.is("required")) {
            bounds.add("required");
        }
        var absent = key.absent();
        if (key.declared().containsKey("default")
                && key.declared().containsKey("absent")
                && !"computed".equals(absent)
                && absent != null) {
            bounds.add("absent: " + shown(absent));
        }
        return bounds;
    }

    private static String shown(@Nullable Object value) {
        return value instanceof List<?> list && !list.isEmpty() || value instanceof Map<?, ?> map && !map.isEmpty()
                ? "`" + flow(value) + "`"
                : flow(value).replaceAll("^\"(.*)\"$", "$1");
    }

    private static String flow(@Nullable Object value) {
        var settings = DumpSettings.builder()
                .setSchema(new CoreSchema())
                .setDefaultFlowStyle(FlowStyle.FLOW)
                .setWidth(1_000)
                .setSplitLines(false)
                .build();
        return new Dump(settings).dumpToString(value).strip();
    }
}
