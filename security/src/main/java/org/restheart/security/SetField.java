package org.restheart.security;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.restheart.http.Headers;

/// Header fields with one that is set, in place of all lines of that name. Immutable if they are.
public record SetField(String name, String value, Headers others) implements Headers {
    public static Headers in(Headers others, String name, String value) {
        return new SetField(name, value, others);
    }

    @Override
    public Optional<String> first(String wanted) {
        return wanted.equalsIgnoreCase(name) ? Optional.of(value) : others.first(wanted);
    }

    @Override
    public List<String> all(String wanted) {
        return wanted.equalsIgnoreCase(name) ? List.of(value) : others.all(wanted);
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        line.accept(name, value);
        others.forEach((other, text) -> {
            if (!other.equalsIgnoreCase(name)) {
                line.accept(other, text);
            }
        });
    }

    @Override
    public String toString() {
        return name + "=…, " + others;
    }
}
