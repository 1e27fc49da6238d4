package org.restheart.core.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Configuration.UnknownKeys;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.module.ConfigBlock;
import org.restheart.text.Nearest;

/// One block of the configuration, whose values are read by the names of its keys in [Keys], which has their defaults
/// and bounds. A bad value is recorded as a refusal that names key, bound and value, and the default is returned, so
/// that one pass finds all errors; [Configuration.Parsed] then refuses the whole. Confined to the thread that starts
/// the server.
record Block(String path, Keys.Key declared, Map<String, @Nullable Object> values, boolean isPresent, Reading reading)
        implements ConfigBlock {
    static Block root(Map<String, @Nullable Object> tree, Reading reading) {
        return of("", Keys.ROOT, tree, reading);
    }

    /// @param path empty for the whole configuration; the name of another file, such as one of users
    static Block of(String path, Keys.Key declared, Map<String, @Nullable Object> tree, Reading reading) {
        return new Block(path, declared, tree, true, reading);
    }

    boolean has(String key) {
        return value(key) != null;
    }

    boolean isChosen(String key) {
        var value = value(key);
        return value != null && !value.equals(key(key).declared().get("default"));
    }

    boolean isNumber(String key) {
        return value(key) instanceof Number;
    }

    @Override
    public boolean isNull(String key) {
        return value(key) == null && values.containsKey(key);
    }

    @Override
    public boolean bool(String key) {
        return bool(key, Boolean.TRUE.equals(key(key).absent()));
    }

    /// YAML 1.1's `yes`, `no`, `on` and `off` are understood, since older files contain them.
    ///
    /// @param absent counts where the key is absent or null, as with all methods of this name
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

    /// What is read of a component; empty if it is off.
    <T> Optional<T> ifEnabled(Function<Block, T> read) {
        return bool("enabled") ? Optional.of(read.apply(this)) : Optional.empty();
    }

    @Override
    public int integer(String key) {
        return (int) longInteger(key);
    }

    @Override
    public int integer(String key, int absent) {
        return (int) longInteger(key, absent);
    }

    @Override
    public long longInteger(String key) {
        return longInteger(key, ((Number) absent(key)).longValue());
    }

    private long longInteger(String key, long absent) {
        var value = value(key);
        if (value == null) {
            return absent(key, absent);
        }
        long min = key(key).min();
        long max = key(key).max();
        var choice = key(key).values();
        if (!choice.isEmpty()) {
            return choice.contains(value) ? ((Number) value).longValue() : refused(key, oneOf(choice), absent);
        }
        return switch (value) {
            case Integer i when i >= min && i <= max -> i;
            case Long l when l >= min && l <= max -> l;
            default ->
                refused(
                        key,
                        "must be a whole number from " + min + (max == Long.MAX_VALUE ? "" : " to " + max),
                        absent);
        };
    }

    double share(String key) {
        double absent = ((Number) absent(key)).doubleValue();
        return switch (value(key)) {
            case null -> absent(key, absent);
            case Number number when number.doubleValue() >= 0 && number.doubleValue() <= 1 -> number.doubleValue();
            default -> refused(key, "must be a number from 0 to 1", absent);
        };
    }

    @Override
    public Duration duration(String key) {
        return Duration.of(longInteger(key), unit(key));
    }

    Duration duration(String key, Duration absent) {
        return Duration.of(longInteger(key, absent.dividedBy(unit(key).getDuration())), unit(key));
    }

    private ChronoUnit unit(String key) {
        return switch (key(key).get("unit").orElse("")) {
            case "s" -> ChronoUnit.SECONDS;
            case "minutes" -> ChronoUnit.MINUTES;
            case "days" -> ChronoUnit.DAYS;
            default -> ChronoUnit.MILLIS;
        };
    }

    @Override
    public String text(String key) {
        return text(key, absent(key).toString());
    }

    /// A text that is not blank, and is one of the values if there are some.
    private String text(String key, String absent) {
        var value = value(key);
        return switch (value) {
            case null -> absent(key, absent);
            case String s when !s.isBlank() -> s;
            case String _ -> refused(key, "must not be blank", absent);
            default -> refused(key, "must be a text, in quotes if need be", absent);
        };
    }

    @Override
    public String choice(String key) {
        var text = text(key);
        var choice = key(key).values();
        return choice.stream()
                .map(String::valueOf)
                .filter(text::equalsIgnoreCase)
                .findFirst()
                .orElseGet(() -> refused(key, oneOf(choice), absent(key).toString()));
    }

    /// A text that may be blank, and a number or truth value as it is written: passwords are often not quoted.
    String textOrEmpty(String key) {
        return switch (value(key)) {
            case null -> "";
            case Map<?, ?> _, List<?> _ -> refused(key, "must be a text", "");
            case Object scalar -> scalar.toString();
        };
    }

    @Override
    public Optional<String> optionalText(String key) {
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

    /// A required path of the server; see [#uri(String)].
    String requiredUri(String key) {
        return value(key) == null
                ? refused(key, "is required and must start with /" + misspelt(key), "/")
                : uri(key, "/");
    }

    @Override
    public String uri(String key) {
        return uri(key, absent(key).toString());
    }

    private String uri(String key, String absent) {
        var uri = text(key, absent);
        if (!uri.startsWith("/")) {
            return refused(key, "must start with /", absent);
        }
        return uri.length() > 1 && uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }

    /// One of an enum's names, in any case, with `-` for `_`.
    <E extends Enum<E>> E oneOf(String key, Class<E> type) {
        var names = type.getEnumConstants();
        var absent = Enum.valueOf(type, constant(absent(key).toString()));
        var text = constant(text(key, absent.name()));
        return Arrays.stream(names)
                .filter(e -> e.name().equals(text))
                .findFirst()
                .orElseGet(() -> refused(
                        key,
                        "must be one of " + Arrays.stream(names).map(Enum::name).collect(Collectors.joining(", ")),
                        absent));
    }

    private static String constant(String name) {
        return name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public Optional<String> url(String key) {
        var url = optionalText(key).map(text -> text.replaceFirst("/+$", ""));
        url.filter(text -> !isUrl(text))
                .ifPresent(text -> refuse(key, "must be a URL such as https://db.example but was " + text));
        return url;
    }

    private static boolean isUrl(String text) {
        try {
            var uri = new URI(text);
            return uri.getHost() != null && uri.getScheme() != null;
        } catch (URISyntaxException _) {
            return false;
        }
    }

    @Override
    public List<String> texts(String key) {
        var absent = key(key).absent() instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.<String>of();
        var value = value(key);
        if (value == null) {
            return key(key).absent() == null ? absent : absent(key, absent);
        }
        var texts = new ArrayList<String>();
        for (var member : value instanceof List<?> list ? list : Arrays.asList(value)) {
            if (!(member instanceof String text)) {
                return refused(key, "must be a list of texts", absent);
            }
            texts.add(text);
        }
        var values = key(key).values();
        return values.isEmpty() || values.containsAll(texts)
                ? List.copyOf(texts)
                : refused(key, "must be some of " + values, absent);
    }

    /// A list of whole numbers; one alone is a list of one.
    List<Integer> integers(String key) {
        var absent = ((List<?>) absent(key)).stream().map(Integer.class::cast).toList();
        var value = value(key);
        if (value == null) {
            return absent(key, absent);
        }
        var numbers = new ArrayList<Integer>();
        for (var member : value instanceof List<?> list ? list : Arrays.asList(value)) {
            if (!(member instanceof Integer number) || number < key(key).min() || number > key(key).max()) {
                var bounds = key(key).min() + " to " + key(key).max();
                return refused(key, "must be a list of whole numbers from " + bounds, absent);
            }
            numbers.add(number);
        }
        return List.copyOf(numbers);
    }

    @Override
    public Block block(String key) {
        return child(path + "/" + key, key(key), value(key));
    }

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
            blocks.add(child(path + "/" + key + "[" + (i + 1) + "]", key(key), list.get(i)));
        }
        return List.copyOf(blocks);
    }

    private Block child(String childPath, Keys.Key key, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new Block(childPath, key, Trees.asBlock(map), true, reading);
        }
        if (value != null) {
            reading.add(new Finding(Level.REFUSED, childPath, "must be a block of keys" + was(childPath, value)));
        }
        return new Block(childPath, key, Map.of(), false, reading);
    }

    boolean isOnlyOverridden(String block) {
        return reading.isOnlyOverridden(block);
    }

    /// Everything in the block, in order, as maps, lists, texts, numbers, booleans and nulls: for blocks with arbitrary
    /// keys, such as the properties of an account.
    Map<String, @Nullable Object> toMap() {
        return new LinkedHashMap<>(values);
    }

    @Override
    public void refuse(String key, String text) {
        report(Level.REFUSED, key, text);
    }

    /// Records a warning that `--check` treats as an error.
    void suspect(String key, String text) {
        report(Level.SUSPECT, key, text);
    }

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

    /// The content of the YAML file that a key names, relative to the configuration's own folder: a block with the same
    /// keys. Empty if the key is absent or the file cannot be read, which is recorded.
    Optional<Block> file(String key) {
        var name = optionalText(key);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        var file = path(name.get()).toAbsolutePath().toString(); // which says where it was looked for
        try {
            var tree = Yaml.parse(Sources.text(Path.of(file)), file, reading);
            UnknownKeys.report(file, declared, tree, reading);
            return Optional.of(of(file, declared, tree, reading));
        } catch (ConfigException e) {
            refuse(key, "cannot be used: " + e.getMessage());
            return Optional.empty();
        }
    }

    /// Records what counts where a key is absent, for the printed configuration.
    void fill(String key, Object used) {
        reading.fill(path + "/" + key, used);
    }

    private Keys.Key key(String key) {
        var entry = declared.keys().get(key);
        if (entry == null) {
            throw new IllegalStateException(path + "/" + key + " is not in keys.yml");
        }
        return entry;
    }

    @Override
    public int defaultOf(String key) {
        return ((Number) Objects.requireNonNull(key(key).declared().get("default"))).intValue();
    }

    private Object absent(String key) {
        var absent = key(key).absent();
        if (absent == null) {
            throw new IllegalStateException(path + "/" + key + " has no default in keys.yml");
        }
        return absent;
    }

    /// The value under the name of the key, else under a former one.
    private @Nullable Object value(String key) {
        for (var former : key(key).former()) {
            if (values.get(former) != null && values.get(key) == null) {
                advise(former, "is read as \"" + key + "\", which is the name of this key");
                return values.get(former);
            }
        }
        return values.get(key);
    }

    private <T> T absent(String key, T used) {
        fill(key, used);
        return used;
    }

    private <T> T refused(String key, String bound, T used) {
        var value = value(key);
        refuse(key, bound + (value == null ? "" : was(path + "/" + key, value)));
        return used;
    }

    private static String oneOf(List<Object> values) {
        var texts = values.stream().map(String::valueOf).toList();
        int last = texts.size() - 1;
        return "must be " + String.join(", ", texts.subList(0, last)) + " or " + texts.get(last);
    }

    private static String was(String keyPath, Object value) {
        return " but was " + Trees.inline(Secrets.mask(keyPath, value));
    }

    /// Without values, which may be secrets.
    @Override
    public String toString() {
        return "Block[" + path + "]";
    }
}
