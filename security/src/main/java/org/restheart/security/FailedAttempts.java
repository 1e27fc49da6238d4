package org.restheart.security;

import org.restheart.http.Request;

/// Observes attempts to authenticate and may lock out their source. Thread-safe.
public interface FailedAttempts {
    /// Called before any credentials are checked, for every request but safe ones that have none and need none. Never
    /// blocks.
    ///
    /// @throws org.restheart.http.ProblemException 429 for a source that has failed too often
    default void admit(Request request) {}

    /// Called before credentials are checked, on a thread that may block. An attempt counts from here on, so that no
    /// more attempts run at once than may fail. Every admitted attempt is ended with [#end].
    ///
    /// @throws org.restheart.http.ProblemException 429 for a source that has failed too often
    default void begin(Request request) {}

    /// Ends an attempt.
    ///
    /// @param rejected whether credentials were sent and not accepted
    default void end(Request request, boolean rejected) {}

    default void refused(Request request) {}
}
