package org.restheart.mongo.metadata;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.http.Nearest;
import org.restheart.http.ShortText;

/// The keys that an object within a collection's properties may have. Keys that begin with `_`, `comment` and
/// `description` are the author's notes.
///
/// @param known all keys with a meaning
public record EntryKeys(Set<String> known) {
    private static final int MAX_NAME = 100;

    private static final Set<String> NOTES = Set.of("comment", "description");

    public static EntryKeys of(String... known) {
        return new EntryKeys(Set.of(known));
    }

    /// The first unknown key that is similar to a known one, as a message; empty if there is none.
    public Optional<String> misspelt(BsonDocument entry) {
        return entry.keySet().stream()
                .filter(key -> !isKnown(key))
                .flatMap(key ->
                        Nearest.to(key, known).stream().map(near -> key + " is unknown; did you mean " + near + "?"))
                .findFirst();
    }

    /// A warning for each unknown key.
    ///
    /// @param place the entry's, for the messages
    public List<String> warnings(String place, BsonDocument entry) {
        return entry.keySet().stream()
                .filter(key -> !isKnown(key))
                .map(key -> place + ": " + key + " has no effect" + Nearest.question(key, known))
                .toList();
    }

    /// A warning for each name that several entries have, of which the first is used, and for each that requests have
    /// to spell otherwise, since it is one segment of their path, or cannot have.
    ///
    /// @param property that holds the entries
    public static List<String> nameWarnings(String property, List<String> names) {
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

    private boolean isKnown(String key) {
        return known.contains(key) || key.startsWith("_") || NOTES.contains(key);
    }
}
