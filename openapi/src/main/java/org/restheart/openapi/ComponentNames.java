package org.restheart.openapi;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.http.Digests;
import org.restheart.text.Words;

/// Names of operations and components. A name depends only on its path, so that it does not change with other
/// collections: paths that could have the same name get a hash of the path.
final class ComponentNames {
    private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9]*");
    private static final Pattern COMPONENT = Pattern.compile("[A-Za-z0-9_]+");

    /// Reserved names and endings.
    private static final Set<String> TAKEN = Words.of("""
            new patch many id size meta indexes index
            """);

    /// Characters of a name of a component, and of what a property adds to one; a hash stands for the rest.
    private static final int MAX_LENGTH = 500;

    private static final int MAX_PROPERTY = 100;

    private ComponentNames() {}

    /// The middle of the names for a path: `Books` for `/books`.
    static String of(List<String> segments) {
        if (segments.isEmpty()) {
            return "Root";
        }
        var name = new StringBuilder();
        for (var segment : segments) {
            for (var word : ascii(segment).split("[^A-Za-z0-9]+", -1)) {
                if (!word.isEmpty()) {
                    name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
                }
            }
        }
        if (name.isEmpty() || Character.isDigit(name.charAt(0))) {
            name.insert(0, "C");
        }
        boolean plain =
                segments.stream().allMatch(segment -> PLAIN.matcher(segment).matches())
                        && !TAKEN.contains(segments.getLast())
                        && !FixedSchemas.NAMES.contains(name.toString())
                        && !name.toString().equals("Root");
        return plain ? name.toString() : name + "X" + hash(String.join("/", segments));
    }

    static String inner(String component, String property) {
        var outer = component.length() <= MAX_LENGTH
                ? component
                : component.substring(0, MAX_LENGTH - MAX_PROPERTY) + "X" + hash(component);
        if (property.length() <= MAX_PROPERTY && COMPONENT.matcher(property).matches()) {
            return outer + "_" + property;
        }
        var begin = property.substring(0, Math.min(property.length(), MAX_PROPERTY));
        return outer + "_" + ascii(begin).replaceAll("[^A-Za-z0-9]+", "") + "X" + hash(property);
    }

    private static String ascii(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFD).replaceAll("\\p{M}", "");
    }

    private static String hash(String text) {
        return HexFormat.of().formatHex(Digests.sha256().digest(text.getBytes(StandardCharsets.UTF_8)), 0, 4);
    }
}
