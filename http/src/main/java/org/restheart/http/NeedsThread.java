package org.restheart.http;

/// Control flow, not a failure: a chain that runs on an I/O thread has reached a step that may block. Thrown only
/// by [Request#requireThread()] and caught only by the server, which runs the chain again on a virtual thread. A
/// filter that catches it to undo its own work must throw it again.
public final class NeedsThread extends RuntimeException {
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace and happens on the hot path
    static final NeedsThread SIGNAL = new NeedsThread();

    private NeedsThread() {
        super("needs a thread that may block", null, false, false);
    }
}
