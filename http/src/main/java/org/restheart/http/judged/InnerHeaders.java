package org.restheart.http.judged;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.restheart.http.Fields;
import org.restheart.http.Headers;

/// The headers of a judged request: its own, and those of the outer request that are about the connection and the
/// caller. Headers about the outer request's content, response or preconditions are left out.
///
/// @param own override the outer ones of the same name
record InnerHeaders(Fields own, Headers outer) implements Headers {
    private static final Set<String> ABOUT_THE_OUTER_REQUEST = Set.of(
            "content-type",
            "content-length",
            "content-encoding",
            "content-disposition",
            "transfer-encoding",
            "accept",
            "accept-encoding",
            "range",
            "if-match",
            "if-none-match",
            "if-modified-since",
            "if-unmodified-since",
            "if-range",
            "idempotency-key",
            "prefer",
            "expect",
            "upgrade",
            "last-event-id");

    private boolean isInherited(String name) {
        return !ABOUT_THE_OUTER_REQUEST.contains(name.toLowerCase(Locale.ROOT)) && !own.has(name);
    }

    @Override
    public Optional<String> first(String name) {
        var given = own.first(name);
        return given.isPresent() ? given : isInherited(name) ? outer.first(name) : Optional.empty();
    }

    @Override
    public List<String> all(String name) {
        return own.has(name) ? own.all(name) : isInherited(name) ? outer.all(name) : List.of();
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        own.forEach(line);
        outer.forEach((name, value) -> {
            if (isInherited(name)) {
                line.accept(name, value);
            }
        });
    }
}
