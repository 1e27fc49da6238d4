package org.restheart.security.jwt;

import static org.restheart.http.AuthorizationHeader.BEARER;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.jwt.JwtVerifier.VerifiedToken;

/// Authenticates with a JSON Web Token as bearer token (RFC 6750, 2.1).
public record JwtAuthenticator(JwtVerifier verifier, Settings settings) implements Authenticator {
    /// @param fixedRoles come after those of the claim
    /// @param encoded whether tokens are Base64 once more
    public record Settings(String nameClaim, Optional<String> rolesClaim, List<String> fixedRoles, boolean encoded) {}

    @Override
    public Optional<String> scheme() {
        return Optional.of(BEARER);
    }

    @Override
    public Authentication authenticate(Request request) {
        var sent = AuthorizationHeader.of(request.headers()).filter(field -> field.has(BEARER));
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        if (!sent.get().hasExactly(BEARER)) {
            return Authentication.REJECTED;
        }
        var token = token(sent.get().credentials());
        return token.flatMap(text -> verifier.verify(request, text))
                .flatMap(verified -> authenticated(verified, token.get()))
                .orElse(Authentication.REJECTED);
    }

    private Optional<String> token(String text) {
        if (!settings.encoded()) {
            return Optional.of(text);
        }
        try {
            return Optional.of(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private Optional<Authentication> authenticated(VerifiedToken verified, String token) {
        var claims = verified.claims();
        return claims.text(settings.nameClaim())
                .flatMap(name ->
                        roles(claims).map(roles -> verified.authenticated(name, roles, settings.fixedRoles(), token)));
    }

    private Optional<List<String>> roles(Claims claims) {
        return settings.rolesClaim().map(claims::texts).orElse(Optional.of(List.of()));
    }
}
