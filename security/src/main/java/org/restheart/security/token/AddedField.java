package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.restheart.http.Headers;

/// Header fields with one more in front. Immutable if they are.
record AddedField(String name, String value, Headers others) implements Headers {
    static Headers to(Headers others, String name, String value) {
        return new AddedField(name, value, others);
    }

    @Override
    public Optional<String> first(String wanted) {
        return wanted.equalsIgnoreCase(name) ? Optional.of(value) : others.first(wanted);
    }

    @Override
    public List<String> all(String wanted) {
        return wanted.equalsIgnoreCase(name)
                ? Stream.concat(Stream.of(value), others.all(wanted).stream()).toList()
                : others.all(wanted);
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        line.accept(name, value);
        others.forEach(line);
    }

    @Override
    public String toString() {
        return name + "=…, " + others;
    }
}
