package org.restheart.http;

import java.util.Optional;

/// A bearer token in the field `Authorization` (RFC 6750, 2.1).
///
/// @param isExact whether the scheme is spelled `Bearer`: in other spellings, JSON Web Tokens and API keys were never
///     accepted
public record BearerToken(String text, boolean isExact) {
    private static final String SCHEME = "Bearer ";

    /// The token of a request, if it has one. In any spelling of the scheme.
    public static Optional<BearerToken> in(Headers headers) {
        return headers.first("Authorization")
                .filter(field -> field.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(field -> new BearerToken(field.substring(SCHEME.length()).strip(), field.startsWith(SCHEME)));
    }

    public static String field(String token) {
        return SCHEME + token;
    }
}
