package org.restheart.dataapi;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.restheart.http.BearerToken;
import org.restheart.http.Headers;
import org.restheart.http.Request;

/// The places of credentials in a request, in order of precedence. Only the first kind that is present is tried.
final class CredentialSources {
    private static final List<String> KEY_NAMES = List.of("apiKey", "api-key");

    /// Credentials that are wrong, expired or revoked.
    static final Supplier<Refusal> REJECTED =
            () -> new Refusal(401, "InvalidSession", "invalid session: error finding user for endpoint");

    private CredentialSources() {}

    /// The request with its credentials in the headers that the gateway's mechanisms read, and without others. No
    /// cookies: a browser would send them for scripts of any site.
    static Request located(Request request) {
        var headers = request.headers();
        var key = key(headers);
        if (BearerToken.in(headers).isPresent()) {
            return request.with(new CredentialHeaders(headers, headers.first("Authorization"), Optional.empty()));
        }
        var email = value(headers, "email");
        var password = value(headers, "password");
        if (email.isPresent() && password.isPresent()) {
            var basic = Optional.of(CredentialHeaders.basic(email.get(), password.get()));
            return request.with(new CredentialHeaders(headers, basic, Optional.empty()));
        }
        if (key.isPresent()) {
            return request.with(new CredentialHeaders(headers, Optional.empty(), key));
        }
        var token = value(headers, "jwtTokenString");
        if (token.isPresent()) {
            return request.with(new CredentialHeaders(headers, token.map(BearerToken::field), Optional.empty()));
        }
        return request.with(new CredentialHeaders(headers, headers.first("Authorization"), Optional.empty()));
    }

    /// Two different keys are invalid.
    private static Optional<String> key(Headers headers) {
        var values = KEY_NAMES.stream()
                .flatMap(name -> headers.all(name).stream())
                .distinct()
                .toList();
        return switch (values.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(values.getFirst());
            default -> Optional.of("two keys");
        };
    }

    private static Optional<String> value(Headers headers, String name) {
        return headers.first(name).filter(value -> !value.isEmpty());
    }

    /// Why a request has no account.
    static Refusal refusal(Headers headers) {
        boolean anything = headers.has("Authorization") || headers.has("jwtTokenString");
        boolean key = KEY_NAMES.stream().anyMatch(headers::has);
        boolean email = headers.has("email");
        boolean password = headers.has("password");
        if (!anything && !key && !email && !password) {
            return Refusal.parameter("no authentication methods were specified");
        }
        boolean emptyKey = KEY_NAMES.stream()
                .anyMatch(name -> headers.first(name).filter(String::isEmpty).isPresent());
        boolean halfPair = !key
                && !anything
                && value(headers, "email").isPresent()
                        != value(headers, "password").isPresent();
        boolean emptyPair = !key
                && !anything
                && value(headers, "email").isEmpty()
                && value(headers, "password").isEmpty();
        if (!headers.has("Authorization") && (emptyKey || halfPair || emptyPair)) {
            return new Refusal(
                    400,
                    "MissingParameter",
                    "must specify some form of authentication (either email+password, api-key, or jwt) in the request"
                            + " header or body");
        }
        return REJECTED.get();
    }
}
