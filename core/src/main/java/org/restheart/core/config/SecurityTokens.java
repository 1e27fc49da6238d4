package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import com.nimbusds.jose.JWSAlgorithm;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.restheart.http.module.ServiceModule.CookieSessions;
import org.restheart.security.OriginPattern;
import org.restheart.security.jwt.Jwt;
import org.restheart.security.jwt.JwtAuthenticator;
import org.restheart.security.token.JwtTokenManager;
import org.restheart.security.token.TokenClaims;
import org.restheart.security.token.TokenCookie;

/// Tokens and cookies. A part is empty when its component is off.
public record SecurityTokens(
        JwtConfig jwt,
        Optional<JwtAuthenticator.Settings> bearer,
        boolean tokenBasic,
        Optional<JwtTokenManager.Settings> jwtTokens,
        Optional<RandomTokens> randomTokens,
        Endpoint service,
        Optional<String> redirect,
        TokenCookie cookie,
        boolean cookieSet,
        boolean cookieRead,
        boolean cookieChecksOrigin,
        List<OriginPattern> cookieOrigins,
        Endpoint logout) {

    /// `rndTokenManager`.
    public record RandomTokens(Duration lifetime, String uri) {}

    /// Where a password is exchanged for a token that is accepted as `Bearer`; empty where that is not possible.
    public Optional<String> bearerTokenUri() {
        return jwtTokens.isPresent() && bearer.isPresent() && service.enabled()
                ? Optional.of(service.uri())
                : Optional.empty();
    }

    /// Whether a page may remember a session beyond a reload. Empty where that is not safe: scripts could read the
    /// cookie, other hosts or sites would get it, other ports' pages could act with it, or it would travel in clear
    /// text.
    public Optional<CookieSessions> rememberedSessions(boolean loopback) {
        boolean hidden = cookie.httpOnly() && (cookie.secure() || loopback);
        boolean own = cookie.domain().isEmpty()
                && cookie.path().equals("/")
                && cookie.sameSite().equals(Optional.of("Strict"))
                && cookieChecksOrigin;
        boolean works =
                cookieSet && cookieRead && logout.enabled() && bearerTokenUri().isPresent();
        return jwtTokens
                .filter(_ -> hidden && own && works)
                .map(tokens -> new CookieSessions(
                        logout.uri(), Collections.min(List.of(tokens.lifetime(), cookie.lifetime()))));
    }

    static SecurityTokens read(Block root) {
        var service = root.block("authTokenService");
        var setter = root.block("authCookieSetter");
        var handler = root.block("authCookieHandler");
        var remover = root.block("authCookieRemover");
        var cookie = cookie(setter);
        var jwt = JwtConfig.read(root.block("jwtConfigProvider"));
        var tokens = new SecurityTokens(
                jwt,
                root.block("jwtAuthenticationMechanism").ifEnabled(SecurityTokens::bearer),
                root.block("tokenBasicAuthMechanism").bool("enabled"),
                root.block("jwtTokenManager").ifEnabled(block -> jwtTokens(block, service.bool("revoke"))),
                root.block("rndTokenManager")
                        .ifEnabled(block -> new RandomTokens(block.duration("ttl"), block.uri("srv-uri"))),
                Endpoint.read(service),
                service.optionalText("redirect-url"),
                cookie,
                setter.bool("enabled"),
                handler.bool("enabled"),
                setter.bool("check-origin"),
                Stream.concat(
                                SecurityGuards.patterns(setter, "allowed-origins").stream(),
                                SecurityGuards.patterns(root.block("cors"), "allowed-origins").stream())
                        .toList(),
                Endpoint.read(remover));
        if (setter.has("same-site-mode") && cookie.isSentAcrossSites() && tokens.cookieOrigins.isEmpty()) {
            setter.advise(
                    "allowed-origins",
                    "is empty: with same-site-mode none, pages that are to use the cookie must be listed");
        }
        if (tokens.jwtTokens.isPresent() && !jwt.canSign()) {
            root.refuse(
                    "jwtTokenManager/enabled",
                    "must be false with algorithm " + jwt.settings().algorithm()
                            + ": this server then only verifies tokens");
        }
        return tokens;
    }

    private static JwtAuthenticator.Settings bearer(Block block) {
        boolean encoded = block.bool("base64Encoded");
        var name = block.text("usernameClaim");
        var roles = block.isNull("rolesClaim") ? Optional.<String>empty() : Optional.of(block.text("rolesClaim"));
        var fixed = block.texts("fixedRoles");
        if (roles.isEmpty() && fixed.isEmpty()) {
            block.refuse("rolesClaim", "is null and there are no fixedRoles: no account would have a role");
        }
        return new JwtAuthenticator.Settings(name, roles, fixed, encoded);
    }

    private static JwtTokenManager.Settings jwtTokens(Block block, boolean revokes) {
        return new JwtTokenManager.Settings(
                block.duration("ttl"),
                block.uri("srv-uri"),
                propertyClaims(block, "account-properties-claims"),
                revokes);
    }

    private static List<String> propertyClaims(Block block, String key) {
        var paths = block.texts(key);
        for (var path : paths) {
            if (!TokenClaims.isProperty(path)) {
                block.refuse(key, "must name properties, or paths such as /org/unit, but has '" + path + "'");
            } else if (TokenClaims.isReserved(path)) {
                block.refuse(key, "must not name " + path + ", which says what the token is, not what its account has");
            }
        }
        return paths;
    }

    private static TokenCookie cookie(Block block) {
        return new TokenCookie(
                block.text("name"),
                block.optionalText("domain"),
                block.uri("path"),
                block.bool("secure"),
                block.bool("http-only"),
                sameSite(block),
                block.duration("ttl"),
                block.bool("expose-token"));
    }

    private static Optional<String> sameSite(Block block) {
        var mode = block.choice("same-site-mode");
        return block.bool("same-site")
                ? Optional.of(mode.substring(0, 1).toUpperCase(Locale.ROOT) + mode.substring(1))
                : Optional.empty();
    }

    /// `jwtConfigProvider`.
    ///
    /// @param jwt verifies with the key, or with the issuer's key set
    /// @param shared whether other gateways accept tokens of this one, and this one after its next start
    public record JwtConfig(Jwt.Settings settings, Jwt jwt, boolean shared, MongoNamespace revocations) {
        private static final Set<String> ALGORITHMS = Set.of(
                "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384",
                "ES512");

        static JwtConfig read(Block block) {
            var settings = new Jwt.Settings(
                    algorithm(block),
                    block.isNull("issuer") ? Optional.empty() : Optional.of(block.text("issuer")),
                    block.texts("audience"),
                    block.bool("require-exp"),
                    block.duration("leeway"));
            var key = settings.isSymmetric() ? block.secret("key") : block.optionalText("key");
            var keySet = block.optionalText("jwks");
            if (!settings.isSymmetric() && key.isEmpty() == keySet.isEmpty()) {
                block.refuse("key", "or jwks, one of the two, is required for " + settings.algorithm());
            }
            var revocations = new MongoNamespace(block.text("revocations-db"), block.text("revocations-collection"));
            return new JwtConfig(
                    settings,
                    jwt(block, settings, key, keySet),
                    settings.isSymmetric() && key.isPresent(),
                    revocations);
        }

        private static Jwt jwt(Block block, Jwt.Settings settings, Optional<String> key, Optional<String> keySet) {
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

        private static Jwt keySet(Block block, Jwt.Settings settings, String place) {
            try {
                return place.startsWith("https://") || place.startsWith("http://")
                        ? Jwt.ofKeySetAt(settings, URI.create(place).toURL())
                        : Jwt.ofKeySet(settings, Sources.text(block.path(place)));
            } catch (MalformedURLException | ConfigException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }

        /// `HMAC256` and `RSA256` are other names of `HS256` and `RS256`.
        private static JWSAlgorithm algorithm(Block block) {
            var text = block.text("algorithm").toUpperCase(Locale.ROOT);
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

        boolean canSign() {
            return settings.isSymmetric();
        }

        @Override
        public String toString() {
            return "JwtConfig[" + settings + "]";
        }
    }
}
