package org.restheart.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/// A line of a table of hints: what is said of things that are valid, but have no effect or probably another than their
/// author thinks.
public record Hint<T>(Predicate<T> when, Function<T, String> text) {
    public static <T> Hint<T> of(Predicate<T> when, String text) {
        return new Hint<>(when, _ -> text);
    }

    public static <T> Hint<T> of(Predicate<T> when, Function<T, String> text) {
        return new Hint<>(when, text);
    }

    /// The texts of a table that are said of something.
    public static <T> List<String> about(T thing, List<Hint<T>> table) {
        var texts = new ArrayList<String>(0);
        for (var hint : table) {
            if (hint.when().test(thing)) {
                texts.add(hint.text().apply(thing));
            }
        }
        return texts;
    }
}
