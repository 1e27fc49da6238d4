package org.restheart.security;

import org.restheart.http.Request;

/// Is told of attempts to authenticate, and may lock their source out. Thread-safe.
public interface FailedAttempts {
    /// Asked of every request, before any credentials are checked. Never waits.
    ///
    /// @throws org.restheart.http.ProblemException 429 for a source that has failed too often
    default void admit(Request request) {}

    /// Credentials are about to be checked, on a thread that may wait. An attempt counts from here on, so that no more
    /// run at once than may fail. Whoever was let in ends the attempt.
    ///
    /// @throws org.restheart.http.ProblemException 429 for a source that has failed too often
    default void begin(Request request) {}

    /// What has begun is over.
    ///
    /// @param rejected credentials were sent and nobody accepted them
    default void end(Request request, boolean rejected) {}

    /// The request was not allowed.
    default void refused(Request request) {}
}
