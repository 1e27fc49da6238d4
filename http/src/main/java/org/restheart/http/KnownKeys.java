package org.restheart.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// The keys that an object may have, and what is said of others. Keys that begin with `_`, `comment` and `description`
/// are their authors' notes.
///
/// @param words that other products have for a key, in lower case
public record KnownKeys(Set<String> known, Map<String, String> words) {
    private static final Set<String> NOTES = Set.of("comment", "description");

    /// @param names separated by white space
    public static KnownKeys of(String names) {
        return new KnownKeys(Words.of(names), Map.of());
    }

    /// @param pairs `word=key`, separated by white space
    public KnownKeys meantBy(String pairs) {
        return new KnownKeys(known, Words.pairs(pairs));
    }

    public KnownKeys and(String names) {
        return new KnownKeys(
                Stream.concat(known.stream(), Words.of(names).stream()).collect(Collectors.toUnmodifiableSet()), words);
    }

    /// Whether a key is known, or a note.
    public boolean has(String key) {
        return known.contains(key) || key.startsWith("_") || NOTES.contains(key);
    }

    /// The key that was probably meant by another one.
    public Optional<String> near(String key) {
        return Optional.ofNullable(words.get(key.toLowerCase(Locale.ROOT)))
                .or(() -> Nearest.to(key, known))
                .or(() -> Nearest.to(key, words.keySet()).map(words::get));
    }

    /// The text `; did you mean …?`; empty if no key is near.
    public String question(String key) {
        return near(key).map(meant -> "; did you mean " + meant + "?").orElse("");
    }

    /// The first unknown key that is similar to a known one, as a message; empty if there is none.
    public Optional<String> misspelt(BsonDocument object) {
        return object.keySet().stream()
                .filter(key -> !has(key) && near(key).isPresent())
                .findFirst()
                .map(key -> key + " is unknown" + question(key));
    }

    /// A warning for each unknown key.
    public List<String> warnings(String place, BsonDocument object) {
        return object.keySet().stream()
                .filter(key -> !has(key))
                .map(key -> place + ": " + key + " has no effect" + question(key))
                .toList();
    }
}
