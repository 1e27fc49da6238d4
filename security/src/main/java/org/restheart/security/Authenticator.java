package org.restheart.security;

import java.util.List;
import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// One authentication mechanism. Thread-safe.
public interface Authenticator {
    /// Checks only credentials of its own kind. Calls [Request#requireThread()] before it blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 when the credentials cannot be checked now
    Authentication authenticate(Request request);

    /// Checks credentials of a request that this mechanism has accepted before: whether they are still
    /// good, but for what can be used once. May block.
    ///
    /// @throws org.restheart.http.ProblemException 503 when the credentials cannot be checked now
    default Authentication authenticateAgain(Request request) {
        return authenticate(request);
    }

    /// The scheme of `Authorization` that it reads.
    default Optional<String> scheme() {
        return Optional.empty();
    }

    /// The names of the header fields in which it reads credentials, besides `Authorization` and `Cookie`. Their values
    /// reach no log and no proxied service; pages of other origins cannot send them. Always the same.
    default List<String> credentialHeaders() {
        return List.of();
    }

    /// Whether what it accepts are credentials.
    default boolean readsCredentials() {
        return true;
    }

    /// Authenticates every request as one account. For development.
    static Authenticator always(Account account) {
        return new Authenticator() {
            @Override
            public Authentication authenticate(Request request) {
                return new Authentication.Authenticated(account, Credentials.password("identity"));
            }

            @Override
            public boolean readsCredentials() {
                return false;
            }
        };
    }

    /// The value of `WWW-Authenticate` when credentials are needed (RFC 9110, 11.6.1), if the mechanism sends
    /// challenges.
    default Optional<String> challenge(Request request) {
        return Optional.empty();
    }
}
