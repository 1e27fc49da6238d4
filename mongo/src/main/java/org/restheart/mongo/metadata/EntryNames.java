package org.restheart.mongo.metadata;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.restheart.text.ShortText;

/// The names of entries of a collection's properties, such as its aggregations.
public final class EntryNames {
    private static final int MAX_NAME = 100;

    private EntryNames() {}

    /// A warning for each name that several entries have, of which the first is used, and for each that requests have
    /// to spell otherwise, since it is one segment of their path, or cannot have.
    public static List<String> warnings(String property, List<String> names) {
        var repeated = names.stream()
                .filter(name -> Collections.frequency(names, name) > 1)
                .distinct()
                .map(name -> property + ": several have the uri " + name + ", of which the first is used");
        var unusual = names.stream()
                .filter(name -> name.contains("/") || Set.of("", ".", "..").contains(name))
                .distinct()
                .map(name -> property + ": the uri '" + ShortText.of(name, MAX_NAME) + "' is one segment of a path: "
                        + (name.contains("/") ? "requests spell a slash in it as %2F" : "no request can have it"));
        return Stream.concat(repeated, unusual).toList();
    }
}
