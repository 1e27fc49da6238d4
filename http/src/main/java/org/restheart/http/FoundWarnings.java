package org.restheart.http;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.restheart.http.attribute.Key;

/// The warnings that are found while a request is carried out: those that take part in it add them, and the service
/// that answers it sends them to the client.
public final class FoundWarnings {
    /// Takes the warnings; absent where warnings are not shown. Thread-safe.
    public static final Key<Queue<String>> KEY = Key.named("found warnings");

    /// More would not be read, and headers are limited.
    private static final int MAX = 10;

    private FoundWarnings() {}

    /// The request with a place for warnings: its own one, if it has one.
    public static Request collecting(Request request) {
        return request.attribute(KEY).isPresent() ? request : request.with(KEY, new ConcurrentLinkedQueue<>());
    }

    /// Adds a warning, once, and not beyond the first few; nowhere if warnings are not shown.
    public static void add(Request request, String warning) {
        request.attribute(KEY)
                .filter(found -> found.size() < MAX && !found.contains(warning))
                .ifPresent(found -> found.add(warning));
    }

    /// The value of a header `Warning`, in the syntax of RFC 7234, 5.5, which every client can show.
    public static String line(String warning) {
        var text = new StringBuilder("299 - \"");
        warning.replace("…", "...")
                .codePoints()
                .map(c -> c < ' ' || c > '~' ? '?' : c)
                .forEach(c -> (c == '"' || c == '\\' ? text.append('\\') : text).appendCodePoint(c));
        return text.append('"').toString();
    }
}
