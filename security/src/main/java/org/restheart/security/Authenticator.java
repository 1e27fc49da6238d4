package org.restheart.security;

import java.util.Optional;
import org.restheart.http.Request;

/// One authentication mechanism. Thread-safe.
public interface Authenticator {
    /// Looks only at credentials of its own kind. Calls [Request#requireThread()] before it waits for anything.
    ///
    /// @throws org.restheart.http.ProblemException 503 when it cannot tell now
    Authentication authenticate(Request request);

    /// The value of `WWW-Authenticate` when credentials are needed (RFC 9110, 11.6.1), if the mechanism asks
    /// for them.
    default Optional<String> challenge(Request request) {
        return Optional.empty();
    }
}
