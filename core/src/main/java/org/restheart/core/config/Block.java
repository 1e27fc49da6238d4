package org.restheart.core.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Nearest;

/// One block of the configuration, read by name. Each method takes the value to use when the key is absent or null. A
/// bad value is recorded as a refusal that names key, bound and value, and the default is returned, so that one pass
/// finds all errors; [Configuration.Parsed] then refuses the whole. Keys that are never read are reported as unknown.
/// Confined to the thread that starts the server.
final class Block {
    private final String path;
    private final Map<String, @Nullable Object> values;
    private final boolean present;
    private final Reading reading;

    private Block(String path, Map<String, @Nullable Object> values, boolean present, Reading reading) {
        this.path = path;
        this.values = values;
        this.present = present;
        this.reading = reading;
        reading.visit(path, values);
    }

    /// @param path empty for the whole configuration; the name of another file, such as one of users
    static Block of(String path, Map<String, @Nullable Object> tree, Reading reading) {
        return new Block(path, tree, true, reading);
    }

    /// Such as `/http-listener`; empty for the whole configuration.
    String path() {
        return path;
    }

    /// Whether the block is in the configuration at all.
    boolean isPresent() {
        return present;
    }

    /// Whether the key is present and not null. Counts as reading it.
    boolean has(String key) {
        return value(key) != null;
    }

    boolean isNumber(String key) {
        return value(key) instanceof Number;
    }

    /// Whether the key is present with the value null. Counts as reading it.
    boolean isNull(String key) {
        return value(key) == null && values.containsKey(key);
    }

    /// YAML 1.1's `yes`, `no`, `on` and `off` are understood, since older files contain them.
    boolean bool(String key, boolean absent) {
        var value = value(key);
        return switch (value) {
            case null -> absent(key, absent);
            case Boolean b -> b;
            case String s when s.equalsIgnoreCase("yes") || s.equalsIgnoreCase("on") -> true;
            case String s when s.equalsIgnoreCase("no") || s.equalsIgnoreCase("off") -> false;
            default -> refused(key, "must be true or false", absent);
        };
    }

    int integer(String key, int absent, int min, int max) {
        return (int) longInteger(key, absent, min, max);
    }

    long longInteger(String key, long absent, long min, long max) {
        var value = value(key);
        if (value == null) {
            return absent(key, absent);
        }
        var bound = "must be a whole number " + (max == Long.MAX_VALUE ? "from " + min : "from " + min + " to " + max);
        return switch (value) {
            case Integer i when i >= min && i <= max -> i;
            case Long l when l >= min && l <= max -> l;
            default -> refused(key, bound, absent);
        };
    }

    /// A number from 0 to 1.
    double share(String key, double absent) {
        return switch (value(key)) {
            case null -> absent(key, absent);
            case Number number when number.doubleValue() >= 0 && number.doubleValue() <= 1 -> number.doubleValue();
            default -> refused(key, "must be a number from 0 to 1", absent);
        };
    }

    Duration millis(String key, long absent, long min, long max) {
        return Duration.ofMillis(longInteger(key, absent, min, max));
    }

    Duration seconds(String key, long absent, long min, long max) {
        return Duration.ofSeconds(longInteger(key, absent, min, max));
    }

    Duration minutes(String key, long absent, long min, long max) {
        return Duration.ofMinutes(longInteger(key, absent, min, max));
    }

    /// A text that is not blank.
    String text(String key, String absent) {
        var value = value(key);
        return switch (value) {
            case null -> absent(key, absent);
            case String s when !s.isBlank() -> s;
            case String _ -> refused(key, "must not be blank", absent);
            default -> refused(key, "must be a text, in quotes if need be", absent);
        };
    }

    /// A text that may be blank, and a number or truth value as it is written: passwords are often not quoted.
    String textOrEmpty(String key) {
        return switch (value(key)) {
            case null -> "";
            case Map<?, ?> _, List<?> _ -> refused(key, "must be a text", "");
            case Object scalar -> scalar.toString();
        };
    }

    /// A text that has no default.
    Optional<String> optionalText(String key) {
        return value(key) == null ? Optional.empty() : Optional.of(text(key, ""));
    }

    /// A secret by which others are made or checked, such as a signing key. One that can be guessed is refused.
    Optional<String> secret(String key) {
        var secret = optionalText(key);
        secret.flatMap(Secrets::weakness).ifPresent(why -> refuse(key, why));
        return secret;
    }

    String requiredText(String key) {
        return value(key) == null ? refused(key, "is required and must be a text" + misspelt(key), "") : text(key, "");
    }

    /// About an unknown key of the block that is probably meant for this one.
    private String misspelt(String key) {
        return values.keySet().stream()
                .filter(name -> Nearest.to(name, List.of(key)).isPresent())
                .findFirst()
                .map(name -> " (is " + name + " meant for it?)")
                .orElse("");
    }

    /// A required path of the server; see [#uri(String, String)].
    String requiredUri(String key) {
        return value(key) == null
                ? refused(key, "is required and must start with /" + misspelt(key), "/")
                : uri(key, "/");
    }

    /// A path of the server, which begins with `/`. A trailing slash is removed, except from `/` itself.
    String uri(String key, String absent) {
        var uri = text(key, absent);
        if (!uri.startsWith("/")) {
            return refused(key, "must start with /", absent);
        }
        return uri.length() > 1 && uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }

    /// One of an enum's names, in any case, with `-` for `_`.
    <E extends Enum<E>> E oneOf(String key, E absent) {
        var names = absent.getDeclaringClass().getEnumConstants();
        var text = text(key, absent.name()).replace('-', '_').toUpperCase(Locale.ROOT);
        return Arrays.stream(names)
                .filter(e -> e.name().equals(text))
                .findFirst()
                .orElseGet(() -> refused(
                        key,
                        "must be one of " + Arrays.stream(names).map(Enum::name).collect(Collectors.joining(", ")),
                        absent));
    }

    /// A list of texts; one text alone is a list of one.
    List<String> texts(String key, List<String> absent) {
        var value = value(key);
        if (value == null) {
            return absent(key, absent);
        }
        if (value instanceof String one) {
            return List.of(one);
        }
        if (!(value instanceof List<?> list)) {
            return refused(key, "must be a list of texts", absent);
        }
        var texts = new ArrayList<String>();
        for (var member : list) {
            if (!(member instanceof String text)) {
                return refused(key, "must be a list of texts", absent);
            }
            texts.add(text);
        }
        return List.copyOf(texts);
    }

    /// A list of whole numbers; one alone is a list of one.
    List<Integer> integers(String key, List<Integer> absent, int min, int max) {
        var value = value(key);
        if (value == null) {
            return absent(key, absent);
        }
        var numbers = new ArrayList<Integer>();
        for (var member : value instanceof List<?> list ? list : Arrays.asList(value)) {
            if (!(member instanceof Integer number) || number < min || number > max) {
                return refused(key, "must be a list of whole numbers from " + min + " to " + max, absent);
            }
            numbers.add(number);
        }
        return List.copyOf(numbers);
    }

    /// The block below; an empty one that is not [#isPresent()] when the key is absent.
    Block block(String key) {
        return child(path + "/" + key, value(key));
    }

    /// The blocks of a list; none when the key is absent.
    List<Block> blocks(String key) {
        var value = value(key);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            return refused(key, "must be a list", List.of());
        }
        var blocks = new ArrayList<Block>();
        for (int i = 0; i < list.size(); i++) {
            blocks.add(child(path + "/" + key + "[" + (i + 1) + "]", list.get(i)));
        }
        return List.copyOf(blocks);
    }

    private Block child(String childPath, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new Block(childPath, Trees.block(map), true, reading);
        }
        if (value != null) {
            reading.add(new Finding(Level.REFUSED, childPath, "must be a block of keys" + was(childPath, value)));
        }
        return new Block(childPath, Map.of(), false, reading);
    }

    /// Everything in the block, in order, as maps, lists, texts, numbers, booleans and nulls: for blocks with arbitrary
    /// keys, such as the properties of an account. None of its keys is then unknown.
    Map<String, @Nullable Object> toMap() {
        values.keySet().forEach(key -> reading.asked(path, key));
        return new LinkedHashMap<>(values);
    }

    /// A key of former releases: accepted with a warning that names its replacement.
    void legacy(String key, String advice) {
        if (value(key) != null) {
            advise(key, advice);
        }
    }

    /// Records a refusal that depends on several keys, such as a bound that is another key's value.
    void refuse(String key, String text) {
        report(Level.REFUSED, key, text);
    }

    /// Records a warning that `--check` treats as an error.
    void suspect(String key, String text) {
        report(Level.SUSPECT, key, text);
    }

    /// Records a key that has no meaning here.
    void unknown(String key, String text) {
        reading.unknown(path + "/" + key, text);
    }

    void advise(String key, String text) {
        report(Level.ADVICE, key, text);
    }

    /// @param key empty for the block as a whole
    private void report(Level level, String key, String text) {
        reading.add(new Finding(level, key.isEmpty() ? path : path + "/" + key, text));
    }

    /// A file that a key names, relative to the configuration's own folder.
    Path path(String name) {
        return reading.directory().resolve(name);
    }

    /// The content of the YAML file that a key names, relative to the configuration's own folder; empty if
    /// the key is absent or the file cannot be read, which is recorded.
    Optional<Block> file(String key) {
        var name = optionalText(key);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        var file = path(name.get()).toAbsolutePath(); // which says where it was looked for
        try {
            return Optional.of(of(file.toString(), Yaml.parse(Sources.text(file), file.toString(), reading), reading));
        } catch (ConfigException e) {
            refuse(key, "cannot be used: " + e.getMessage());
            return Optional.empty();
        }
    }

    private @Nullable Object value(String key) {
        reading.asked(path, key);
        return values.get(key);
    }

    private <T> T absent(String key, T used) {
        fill(key, used);
        return used;
    }

    /// Records what counts where a key is absent, for the printed configuration.
    void fill(String key, Object used) {
        reading.fill(path + "/" + key, used);
    }

    private <T> T refused(String key, String bound, T used) {
        var value = values.get(key);
        refuse(key, bound + (value == null ? "" : was(path + "/" + key, value)));
        return used;
    }

    private static String was(String keyPath, Object value) {
        return " but was " + Trees.inline(Secrets.mask(keyPath, value));
    }
}
