package org.restheart.mcp;

/// A call of a tool that is refused or fails: its result says what to change. No stack trace: nothing has failed.
final class RefusedCall extends RuntimeException {
    private final String reason;

    /// @param reason one of few words, for metrics and the audit log
    RefusedCall(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    static RefusedCall argument(String message) {
        return new RefusedCall("argument", message);
    }

    String reason() {
        return reason;
    }

    /// What the model reads: nothing that is stored.
    String text() {
        return String.valueOf(getMessage());
    }
}
