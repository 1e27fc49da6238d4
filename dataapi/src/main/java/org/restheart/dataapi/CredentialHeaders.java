package org.restheart.dataapi;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.restheart.http.Headers;

/// The headers of a request with a single credential, or none.
///
/// @param key of the header `apiKey`
record CredentialHeaders(Headers sent, Optional<String> authorization, Optional<String> key) implements Headers {
    /// The value of `Authorization` for a name and a password.
    static String basic(String name, String password) {
        var pair = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
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
