package org.restheart.http;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/// Header fields of a message. Names compare without regard to case (RFC 9110, 5.1).
public interface Headers {
    /// The first value sent under this name.
    Optional<String> first(String name);

    /// Every value sent under this name, in order; empty if there is none.
    List<String> all(String name);

    /// Visits every field line, in order.
    void forEach(BiConsumer<String, String> line);

    default boolean has(String name) {
        return first(name).isPresent();
    }

    /// Whether `If-None-Match` has an entity tag (RFC 9110, 13.1.2, weak comparison), so that the client's copy is
    /// current.
    ///
    /// @param tag with quotes
    default boolean isCurrent(String tag) {
        return all("If-None-Match").stream()
                .flatMap(line -> Stream.of(line.split(",", -1)))
                .map(String::strip)
                .anyMatch(known -> known.equals(tag) || known.equals("W/" + tag) || known.equals("*"));
    }
}
