package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import com.nimbusds.jose.JWSAlgorithm;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.restheart.security.jwt.Jwt;
import org.restheart.security.jwt.JwtSettings;

/// `jwtConfigProvider`.
///
/// @param jwt verifies with the key, or with the issuer's key set
/// @param shared whether other gateways accept tokens of this one, and this one after its next start
/// @param revocations the collection of revoked tokens
public record JwtConfig(JwtSettings settings, Jwt jwt, boolean shared, MongoNamespace revocations) {
    private static final int SHORTEST_KEY = 32;
    private static final Set<String> ALGORITHMS = Set.of(
            "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

    static JwtConfig read(Block block) {
        var settings = new JwtSettings(
                algorithm(block),
                block.isNull("issuer") ? Optional.empty() : Optional.of(block.text("issuer", "restheart.org")),
                block.has("audience") ? block.texts("audience", List.of()) : List.of(),
                block.bool("require-exp", false));
        var key = block.optionalText("key");
        var keySet = block.optionalText("jwks");
        if (settings.isSymmetric()) {
            key.ifPresent(secret -> warnIfGuessable(block, secret));
        } else if (key.isEmpty() == keySet.isEmpty()) {
            block.refuse("key", "or jwks, one of the two, is required for " + settings.algorithm());
        }
        var revocations = new MongoNamespace(
                block.text("revocations-db", "restheart"), block.text("revocations-collection", "_revokedTokens"));
        return new JwtConfig(
                settings, jwt(block, settings, key, keySet), settings.isSymmetric() && key.isPresent(), revocations);
    }

    private static Jwt jwt(Block block, JwtSettings settings, Optional<String> key, Optional<String> keySet) {
        try {
            if (settings.isSymmetric()) {
                return Jwt.ofSecret(settings, key);
            }
            if (keySet.isPresent()) {
                return keySet(block, settings, keySet.get());
            }
            if (key.isPresent()) {
                return Jwt.ofPublicKey(settings, key.get());
            }
        } catch (IllegalArgumentException e) {
            block.refuse(keySet.isPresent() ? "jwks" : "key", "cannot be used: " + e.getMessage());
        }
        return Jwt.ofNothing(settings);
    }

    private static Jwt keySet(Block block, JwtSettings settings, String place) {
        try {
            return place.startsWith("https://") || place.startsWith("http://")
                    ? Jwt.ofKeySetAt(settings, URI.create(place).toURL())
                    : Jwt.ofKeySet(settings, ConfigFile.text(block.path(place)));
        } catch (MalformedURLException | ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /// `HMAC256` and `RSA256` are other names of `HS256` and `RS256`.
    private static JWSAlgorithm algorithm(Block block) {
        var text = block.text("algorithm", "HS256").toUpperCase(Locale.ROOT);
        var name = text.replace("HMAC", "HS").replace("RSA", "RS");
        if (!ALGORITHMS.contains(name)) {
            block.refuse(
                    "algorithm",
                    "must be one of "
                            + String.join(", ", ALGORITHMS.stream().sorted().toList()));
            return JWSAlgorithm.HS256;
        }
        return JWSAlgorithm.parse(name);
    }

    private static void warnIfGuessable(Block block, String secret) {
        if (secret.equals("secret")) {
            block.advise(
                    "key", "is the publicly known default: anybody can sign tokens with it and act as any account");
        } else if (secret.getBytes(StandardCharsets.UTF_8).length < SHORTEST_KEY) {
            block.advise("key", "has fewer than " + SHORTEST_KEY + " bytes, which can be guessed");
        }
    }

    /// Whether tokens can be signed with the configured key.
    boolean canSign() {
        return settings.isSymmetric();
    }

    @Override
    public String toString() {
        return "JwtConfig[" + settings + "]";
    }
}
