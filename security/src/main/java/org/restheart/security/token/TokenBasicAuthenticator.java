package org.restheart.security.token;

import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.password.BasicCredentials;

/// HTTP Basic with a token in place of the password. What is no token may be a password: others are asked then,
/// and where there are none, it was a wrong one.
public final class TokenBasicAuthenticator implements Authenticator {
    /// Of the field: no token is that short, not even in Base64 with a name before it.
    private static final int SHORTEST = 56;

    private final TokenManager tokens;

    public TokenBasicAuthenticator(TokenManager tokens) {
        this.tokens = tokens;
    }

    @Override
    public Authentication authenticate(Request request) {
        var field = request.headers().first("Authorization");
        if (field.isEmpty() || !field.get().startsWith("Basic ")) {
            return Authentication.ABSENT;
        }
        if (field.get().length() < SHORTEST) {
            return Authentication.REJECTED;
        }
        return BasicCredentials.find(request.headers())
                .flatMap(BasicCredentials::parse)
                .flatMap(credentials -> tokens.verify(request, credentials.name(), credentials.password()))
                .orElse(Authentication.REJECTED);
    }
}
