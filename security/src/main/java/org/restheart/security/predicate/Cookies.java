package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Headers;

/// Reads the `Cookie` field (RFC 6265, 4.2).
public final class Cookies {
    private Cookies() {}

    public static Optional<String> first(Headers headers, String name) {
        return all(headers, name).stream().findFirst();
    }

    /// All cookies of that name; surrounding quotes are not part of a value.
    static List<String> all(Headers headers, String name) {
        var values = new ArrayList<String>();
        for (var line : headers.all("Cookie")) {
            for (var pair : line.split(";", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
                    var value = pair.substring(equals + 1).strip();
                    boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
                    values.add(quoted ? value.substring(1, value.length() - 1) : value);
                }
            }
        }
        return values;
    }
}
