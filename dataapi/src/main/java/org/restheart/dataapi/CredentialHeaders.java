package org.restheart.dataapi;

import static org.restheart.http.AuthorizationHeader.BEARER;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Headers;

/// The headers of a request with a single credential, or none.
///
/// @param key of the header `apiKey`
record CredentialHeaders(Headers sent, Optional<String> authorization, Optional<String> key) implements Headers {
    private static final List<String> KEY_NAMES = List.of("apiKey", "api-key");

    /// The headers with the credentials that are tried, where the gateway's mechanisms read them: of several kinds only
    /// the first in order of precedence. No cookies: a browser would send them for scripts of any site.
    static CredentialHeaders located(Headers sent) {
        if (AuthorizationHeader.of(sent).filter(line -> line.has(BEARER)).isEmpty()) {
            var email = value(sent, "email");
            var password = value(sent, "password");
            if (email.isPresent() && password.isPresent()) {
                var basic = Optional.of(
                        AuthorizationHeader.basic(email.get(), password.get()).line());
                return new CredentialHeaders(sent, basic, Optional.empty());
            }
            var key = key(sent);
            if (key.isPresent()) {
                return new CredentialHeaders(sent, Optional.empty(), key);
            }
            var token = value(sent, "jwtTokenString");
            if (token.isPresent()) {
                return new CredentialHeaders(
                        sent, token.map(AuthorizationHeader::bearer).map(AuthorizationHeader::line), Optional.empty());
            }
        }
        return new CredentialHeaders(sent, sent.first("Authorization"), Optional.empty());
    }

    /// Two different keys are invalid.
    private static Optional<String> key(Headers headers) {
        var values = KEY_NAMES.stream()
                .flatMap(name -> headers.all(name).stream())
                .distinct()
                .toList();
        return values.size() < 2 ? values.stream().findFirst() : Optional.of("two keys");
    }

    private static Optional<String> value(Headers headers, String name) {
        return headers.first(name).filter(value -> !value.isEmpty());
    }

    /// Why a request has no account.
    static Refusal refusal(Headers headers) {
        boolean token = headers.has("Authorization") || headers.has("jwtTokenString");
        boolean key = KEY_NAMES.stream().anyMatch(headers::has);
        if (!token && !key && !headers.has("email") && !headers.has("password")) {
            return Refusal.parameter("no authentication methods were specified");
        }
        boolean emptyKey = KEY_NAMES.stream()
                .anyMatch(name -> headers.first(name).filter(String::isEmpty).isPresent());
        boolean incompletePair = !key
                && !token
                && (value(headers, "email").isEmpty()
                        || value(headers, "password").isEmpty());
        return !headers.has("Authorization") && (emptyKey || incompletePair)
                ? new Refusal(
                        400,
                        "MissingParameter",
                        "must specify some form of authentication (either email+password, api-key, or jwt) in the"
                                + " request header or body")
                : rejected();
    }

    /// Credentials that are wrong, expired or revoked.
    static Refusal rejected() {
        return new Refusal(401, "InvalidSession", "invalid session: error finding user for endpoint");
    }

    private Optional<Optional<String>> replaced(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "authorization" -> Optional.of(authorization);
            case "apikey" -> Optional.of(key);
            case "api-key", "email", "password", "jwttokenstring", "cookie" -> Optional.of(Optional.empty());
            default -> Optional.empty();
        };
    }

    @Override
    public Optional<String> first(String name) {
        return replaced(name).orElseGet(() -> sent.first(name));
    }

    @Override
    public List<String> all(String name) {
        return replaced(name).map(value -> value.stream().toList()).orElseGet(() -> sent.all(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        authorization.ifPresent(value -> line.accept("Authorization", value));
        key.ifPresent(value -> line.accept("apiKey", value));
        sent.forEach((name, value) -> {
            if (replaced(name).isEmpty()) {
                line.accept(name, value);
            }
        });
    }

    @Override
    public String toString() {
        return "CredentialHeaders[]";
    }
}
