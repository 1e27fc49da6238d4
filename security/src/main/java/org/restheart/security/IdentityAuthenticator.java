package org.restheart.security;

import org.restheart.http.Account;
import org.restheart.http.Request;

/// Takes everybody for one account. For development.
///
/// @param account whom
public record IdentityAuthenticator(Account account) implements Authenticator {
    @Override
    public Authentication authenticate(Request request) {
        return new Authentication.Authenticated(account, Credentials.password("identity"));
    }
}
