package org.restheart.http;

import java.util.Optional;

/// The request methods the server answers; any other is refused with `405` before routing (RFC 9110, 9).
public enum Method {
    GET,
    HEAD,
    POST,
    PUT,
    PATCH,
    DELETE,
    OPTIONS;

    /// Methods are case-sensitive (RFC 9110, 9.1): `get` is unknown.
    public static Optional<Method> of(String name) {
        return switch (name) {
            case "GET" -> Optional.of(GET);
            case "HEAD" -> Optional.of(HEAD);
            case "POST" -> Optional.of(POST);
            case "PUT" -> Optional.of(PUT);
            case "PATCH" -> Optional.of(PATCH);
            case "DELETE" -> Optional.of(DELETE);
            case "OPTIONS" -> Optional.of(OPTIONS);
            default -> Optional.empty();
        };
    }

    /// Safe in the sense of RFC 9110, 9.2.1: the client does not ask for a change.
    public boolean isSafe() {
        return this == GET || this == HEAD || this == OPTIONS;
    }
}
