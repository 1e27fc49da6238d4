package org.restheart.mcp;

/// A call of a tool is refused or fails. The result says what to change. Without stack trace, since it is no defect.
final class RefusedCall extends RuntimeException {
    private final String reason;

    /// @param reason from a closed set, for metrics and the audit log
    RefusedCall(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    static RefusedCall argument(String message) {
        return new RefusedCall("argument", message);
    }

    /// The result is incomplete: MongoDB's time limit has passed, or MongoDB is no longer reachable.
    static RefusedCall interrupted(ToolCall call, Exception failure) {
        return failure instanceof RefusedCall refused
                ? refused
                : new RefusedCall(
                        "failed",
                        "the result broke off while it was read: ask for less, or again (request "
                                + call.http().id() + ")");
    }

    String reason() {
        return reason;
    }

    /// The message for the model, without stored data.
    String text() {
        return String.valueOf(getMessage());
    }
}
