package org.restheart.core.server;

import io.undertow.util.HeaderMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.restheart.http.Headers;

/// The header fields of a received request, read in place. They are not changed after the request has arrived.
record UndertowHeaders(HeaderMap fields) implements Headers {
    @Override
    public Optional<String> first(String name) {
        return Optional.ofNullable(fields.getFirst(HeaderNames.of(name)));
    }

    @Override
    public List<String> all(String name) {
        var values = fields.get(HeaderNames.of(name));
        return values == null ? List.of() : List.copyOf(values);
    }

    @Override
    public boolean has(String name) {
        return fields.contains(HeaderNames.of(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (var values : fields) {
            var name = values.getHeaderName().toString();
            values.forEach(value -> line.accept(name, value));
        }
    }
}
