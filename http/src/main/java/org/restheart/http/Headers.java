package org.restheart.http;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/// Header fields of a message. Names compare without regard to case (RFC 9110, 5.1).
public interface Headers {
    Optional<String> first(String name);

    /// Every value sent under this name, in order; empty if there is none.
    List<String> all(String name);

    void forEach(BiConsumer<String, String> line);

    default boolean has(String name) {
        return first(name).isPresent();
    }

    /// Whether a list of tokens, such as `Connection`, has one, in upper or lower case (RFC 9110, 5.6.1).
    ///
    /// @param token in lower case
    default boolean hasToken(String name, String token) {
        for (var line : all(name)) {
            for (var item : line.split(",", -1)) {
                if (item.strip().equalsIgnoreCase(token)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether `If-None-Match` has an entity tag (RFC 9110, 13.1.2, weak comparison), so that the client's copy is
    /// current.
    ///
    /// @param tag a strong one, in quotes
    default boolean isCurrent(String tag) {
        return EntityTagList.of(this, "If-None-Match")
                .filter(known -> known.isCurrent(tag.substring(1, tag.length() - 1)))
                .isPresent();
    }

    /// These fields with exactly one line of that name.
    default Headers with(String name, String value) {
        return new Overlay(Fields.of(name, value), this, _ -> true);
    }

    /// Fields of which some are those of another message. Does not show values as text.
    ///
    /// @param own take the place of all inherited lines of their names
    /// @param isInherited by name
    record Overlay(Fields own, Headers others, Predicate<String> isInherited) implements Headers {
        private Headers of(String name) {
            return own.has(name) ? own : isInherited.test(name) ? others : Fields.NONE;
        }

        @Override
        public Optional<String> first(String name) {
            return of(name).first(name);
        }

        @Override
        public List<String> all(String name) {
            return of(name).all(name);
        }

        @Override
        public void forEach(BiConsumer<String, String> line) {
            own.forEach(line);
            others.forEach((name, value) -> {
                if (!own.has(name) && isInherited.test(name)) {
                    line.accept(name, value);
                }
            });
        }

        @Override
        public String toString() {
            return "Overlay[…]";
        }
    }
}
