package org.restheart.http;

/// Answers a request. Thread-safe.
@FunctionalInterface
public interface Handler {
    /// Answers the request.
    ///
    /// If [Request#mayBlock()] is false the call runs on an I/O thread. A handler that has to block calls
    /// [Request#requireThread()] before that and before any side effect, since the whole chain is then run
    /// again.
    ///
    /// @throws ProblemException for a request that is refused; it becomes an error response
    /// @throws NeedsThread from [Request#requireThread()]
    Response handle(Request request);
}
