package org.restheart.http.module;

import java.util.Optional;
import org.restheart.http.Request;

/// Begins, renews and ends sessions of authenticated callers. Thread-safe; all methods may block.
public interface LogIns {
    /// What a client exchanges for a session.
    enum Provider {
        PASSWORD,
        API_KEY,
        TOKEN
    }

    /// A session that has begun.
    record Session(String accessToken, String refreshToken, String userId) {
        @Override
        public String toString() {
            return "Session[" + userId + "]";
        }
    }

    /// A session of the caller; empty if the request was not authenticated as the provider says.
    Optional<Session> begin(Request request, Provider provider);

    /// A session of the anonymous account; empty if there is none.
    Optional<Session> beginAnonymously(Request request);

    /// A new access token for a caller with a refresh token; empty for an anonymous session, if there are none any
    /// more.
    Optional<String> renew(Request request);

    /// Ends the session of a caller with a refresh token.
    void end(Request request);
}
