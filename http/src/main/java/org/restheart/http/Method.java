package org.restheart.http;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The request methods the server answers; any other is refused with `405` before routing (RFC 9110, 9).
public enum Method {
    GET,
    HEAD,
    POST,
    PUT,
    PATCH,
    DELETE,
    OPTIONS;

    private static final Map<String, Method> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Method::name, method -> method));

    /// Methods are case-sensitive (RFC 9110, 9.1): `get` is unknown.
    public static Optional<Method> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /// Safe in the sense of RFC 9110, 9.2.1: the client does not ask for a change.
    public boolean isSafe() {
        return this == GET || this == HEAD || this == OPTIONS;
    }

    /// Idempotent in the sense of RFC 9110, 9.2.2: a request may be repeated.
    public boolean isIdempotent() {
        return isSafe() || this == PUT || this == DELETE;
    }
}
