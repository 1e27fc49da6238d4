package org.restheart.security.token;

import java.util.Set;
import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.password.BasicCredentials;

/// HTTP Basic with a token in place of the password. Other text may be a password for other mechanisms; without them it
/// is rejected.
public final class TokenBasicAuthenticator implements Authenticator {
    /// Length of the field: shorter values contain no token.
    private static final int MIN_LENGTH = 56;

    private final TokenManager tokens;

    public TokenBasicAuthenticator(TokenManager tokens) {
        this.tokens = tokens;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("basic");
    }

    @Override
    public Authentication authenticate(Request request) {
        var field = request.headers().first("Authorization");
        if (field.isEmpty() || !field.get().startsWith("Basic ")) {
            return Authentication.ABSENT;
        }
        if (field.get().length() < MIN_LENGTH) {
            return Authentication.REJECTED;
        }
        return BasicCredentials.find(request.headers())
                .flatMap(BasicCredentials::parse)
                .flatMap(credentials -> tokens.verify(request, credentials.name(), credentials.password()))
                .orElse(Authentication.REJECTED);
    }
}
