package org.restheart.http;

/// Answers a request. Thread-safe.
@FunctionalInterface
public interface Handler {
    /// If [Request#mayBlock()] is false the call runs on an I/O thread. A handler that has to block calls
    /// [Request#requireThread()] before that and before any side effect, or goes on by [Request#onThread].
    ///
    /// @throws ProblemException for a request that is refused; it becomes an error response
    Response handle(Request request);

    /// The same as a step of its own: if it needs a thread, it alone begins again on one, and the response is deferred.
    default Response resumed(Request request) {
        try {
            return handle(request);
        } catch (StepOnThread.Needed _) {
            return request.onThread(this);
        }
    }
}
