package org.restheart.security;

import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Authenticates every request as one account. For development.
///
/// @param account of every request
public record IdentityAuthenticator(Account account) implements Authenticator {
    @Override
    public Authentication authenticate(Request request) {
        return new Authentication.Authenticated(account, Credentials.password("identity"));
    }
}
