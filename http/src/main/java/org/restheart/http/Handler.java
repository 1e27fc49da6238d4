package org.restheart.http;

/// Answers a request. Thread-safe.
@FunctionalInterface
public interface Handler {
    /// Answers, or throws a [ProblemException] that the error filter turns into an error response.
    ///
    /// When [Request#mayBlock()] is false the call runs on an I/O thread: whoever has to wait for anything calls
    /// [Request#requireThread()] first, and before any side effect, since the whole chain then starts anew.
    Response handle(Request request);
}
