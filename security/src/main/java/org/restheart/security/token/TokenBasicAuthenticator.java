package org.restheart.security.token;

import static org.restheart.http.AuthorizationHeader.BASIC;

import java.util.Optional;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.TokenManager;

/// HTTP Basic with a token in place of the password. Other text may be a password for other mechanisms; without them it
/// is rejected.
public record TokenBasicAuthenticator(TokenManager tokens) implements Authenticator {
    /// Length of the field: shorter values contain no token.
    private static final int MIN_LENGTH = 56;

    @Override
    public Optional<String> scheme() {
        return Optional.of(BASIC);
    }

    @Override
    public Authentication authenticate(Request request) {
        var sent = AuthorizationHeader.of(request.headers()).filter(field -> field.hasExactly(BASIC));
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        if (sent.get().line().length() < MIN_LENGTH) {
            return Authentication.REJECTED;
        }
        return sent.get()
                .basicCredentials()
                .flatMap(credentials -> tokens.verify(request, credentials.name(), credentials.password()))
                .orElse(Authentication.REJECTED);
    }
}
