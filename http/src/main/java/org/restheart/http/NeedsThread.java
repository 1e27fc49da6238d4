package org.restheart.http;

/// Control flow, not a failure: the chain has reached a step that may wait while it runs on an I/O thread. Only
/// [Request#requireThread()] throws it and only the server catches it; filters let it pass, at most undoing
/// what they have done.
public final class NeedsThread extends RuntimeException {
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace and happens on the hot path
    static final NeedsThread SIGNAL = new NeedsThread();

    private NeedsThread() {
        super("needs a thread that may block", null, false, false);
    }
}
