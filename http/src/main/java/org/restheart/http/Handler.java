package org.restheart.http;

/// Answers a request. Thread-safe.
@FunctionalInterface
public interface Handler {
    /// Answers, or throws a [ProblemException] that the error filter turns into an error response.
    ///
    /// When [Request#mayBlock()] is false the call runs on an I/O thread: a handler that has to block calls
    /// [Request#requireThread()] first, before any side effect, since the whole chain is then run again.
    Response handle(Request request);
}
