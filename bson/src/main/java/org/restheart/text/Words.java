package org.restheart.text;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Names that are written as one text, separated by white space.
public final class Words {
    private Words() {}

    /// @param text different names
    public static Set<String> of(String text) {
        return Set.of(split(text));
    }

    /// @param text names whose order matters
    public static List<String> list(String text) {
        return List.of(split(text));
    }

    /// @param text `name=value …`, with different names
    public static Map<String, String> pairs(String text) {
        return Arrays.stream(split(text))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toUnmodifiableMap(pair -> pair[0], pair -> pair[1]));
    }

    private static String[] split(String text) {
        return text.strip().split("\\s+");
    }
}
