package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The limits of numbers in the head of a request, with refusals that name them.
final class HeadLimits {
    private HeadLimits() {}

    /// @throws org.restheart.http.ProblemException 400 for too many header fields, parameters or cookies
    static void check(HttpServerExchange exchange, ConnectionOptions limits) {
        if (RequestHead.of(exchange).size() > limits.maxHeaders()) {
            throw exceeded("header fields", "MAX_HEADERS", limits.maxHeaders());
        }
        var query = exchange.getQueryString();
        if (query.length() / 2 >= limits.maxParameters() // each takes two characters, with its separator
                && parameters(query) > limits.maxParameters()) {
            throw exceeded("parameters", "MAX_PARAMETERS", limits.maxParameters());
        }
        var cookies = RequestHead.of(exchange).get(Headers.COOKIE);
        if (cookies != null && cookies(cookies) > limits.maxCookies()) {
            throw exceeded("cookies", "MAX_COOKIES", limits.maxCookies());
        }
    }

    private static RuntimeException exceeded(String what, String key, int limit) {
        return new ProblemException(
                ProblemCode.BAD_REQUEST,
                "the request has more " + what + " than connection-options." + key + ", " + limit);
    }

    /// Empty ones do not count.
    private static int parameters(String query) {
        int count = 0;
        boolean empty = true;
        for (int i = 0; i < query.length(); i++) {
            if (query.charAt(i) == '&') {
                empty = true;
            } else if (empty) {
                empty = false;
                count++;
            }
        }
        return count;
    }

    /// Undertow counts them only when they are read.
    private static long cookies(Iterable<String> lines) {
        long count = 0;
        for (var line : lines) {
            count += 1 + line.chars().filter(c -> c == ';').count();
        }
        return count;
    }
}
