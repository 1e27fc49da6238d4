package org.restheart.core.server;

import io.undertow.util.HeaderMap;
import io.undertow.util.HttpString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.restheart.http.Headers;

/// The header fields of a received request, read in place. They are not changed after the request has arrived.
record UndertowHeaders(HeaderMap fields) implements Headers {
    /// More than the gateway itself reads and sends; bounds names from other sources.
    private static final int REMEMBERED = 256;

    private static final String NOT_IN_NAMES = "\"(),/:;<=>?@[\\]{}";

    private static final ConcurrentHashMap<String, HttpString> NAMES = new ConcurrentHashMap<>();

    /// Without values, of which some are secret.
    @Override
    public String toString() {
        return "UndertowHeaders" + fields.getHeaderNames();
    }

    /// The name of a header as Undertow has it: hashed and encoded once, not with every request.
    static HttpString name(String name) {
        var known = NAMES.get(name);
        if (known != null) {
            return known;
        }
        var common = io.undertow.util.Headers.fromCache(name);
        var made = common == null ? new HttpString(name) : common;
        if (NAMES.size() < REMEMBERED && isName(name)) {
            NAMES.put(name, made);
        }
        return made;
    }

    /// The same for a field of a response.
    ///
    /// @throws IllegalArgumentException if no field can have this name, which would be more than that
    static HttpString sent(String name) {
        var known = NAMES.get(name); // whose names are checked
        if (known == null && !isName(name)) {
            throw new IllegalArgumentException("a header field cannot have the name " + name);
        }
        return known == null ? name(name) : known;
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7f && NOT_IN_NAMES.indexOf(c) < 0);
    }

    /// A text as the value of a header: printable ASCII as it is; other characters as their UTF-8 bytes; control
    /// characters as spaces. Undertow writes the low byte of each character: unprotected, a character like U+010A
    /// would end the header line.
    static String value(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c >= 0x7f) {
                return encoded(value);
            }
        }
        return value;
    }

    private static String encoded(String value) {
        var bytes = value.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if ((bytes[i] >= 0 && bytes[i] < 0x20 && bytes[i] != '\t') || bytes[i] == 0x7f) {
                bytes[i] = ' ';
            }
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public Optional<String> first(String name) {
        return Optional.ofNullable(fields.getFirst(name(name)));
    }

    @Override
    public List<String> all(String name) {
        var values = fields.get(name(name));
        return values == null ? List.of() : List.copyOf(values);
    }

    @Override
    public boolean has(String name) {
        return fields.contains(name(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (var values : fields) {
            var name = values.getHeaderName().toString();
            values.forEach(value -> line.accept(name, value));
        }
    }
}
