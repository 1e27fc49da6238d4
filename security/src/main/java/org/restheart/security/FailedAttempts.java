package org.restheart.security;

import org.restheart.http.Request;

/// Is told of refused credentials, and may lock their source out. Thread-safe.
public interface FailedAttempts {
    /// Asked before any credentials are checked.
    ///
    /// @throws org.restheart.http.ProblemException 429 for a source that has failed too often
    default void admit(Request request) {}

    /// Credentials were sent and nobody accepted them.
    default void rejected(Request request) {}

    /// The request was not allowed.
    default void refused(Request request) {}
}
