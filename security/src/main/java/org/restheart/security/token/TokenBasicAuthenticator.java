package org.restheart.security.token;

import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.basic.BasicCredentials;

/// HTTP Basic with a token in place of the password. What is no token may be a password: others are asked then.
public final class TokenBasicAuthenticator implements Authenticator {
    private final TokenManager tokens;

    public TokenBasicAuthenticator(TokenManager tokens) {
        this.tokens = tokens;
    }

    @Override
    public Authentication authenticate(Request request) {
        return request.headers()
                .first("Authorization")
                .filter(field -> field.startsWith("Basic "))
                .flatMap(_ -> BasicCredentials.find(request.headers()))
                .flatMap(BasicCredentials::parse)
                .flatMap(credentials -> tokens.verify(request, credentials.name(), credentials.password()))
                .orElse(Authentication.ABSENT);
    }
}
