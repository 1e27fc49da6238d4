package org.restheart.mcp;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A call of a tool is refused or fails. The result says what to change. Without stack trace, since it is no defect.
final class RefusedCall extends RuntimeException {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedCall.class);

    private final String reason;

    /// @param reason from a closed set, for metrics and the audit log
    RefusedCall(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    static RefusedCall argument(String message) {
        return new RefusedCall("argument", message);
    }

    /// The client has disconnected, which has interrupted the call.
    static RefusedCall gone() {
        return new RefusedCall("gone", "the client has left");
    }

    /// The result is incomplete: MongoDB's time limit has passed, MongoDB is no longer reachable, or there is a fault.
    /// Which of them is logged, since the exceptions of MongoDB are not known here.
    static RefusedCall interrupted(ToolCall call, Exception failure) {
        if (failure instanceof RefusedCall refused) {
            return refused;
        }
        if (Thread.currentThread().isInterrupted()) {
            return gone();
        }
        var id = call.http().id();
        LOG.warn("request {}: the result of {} broke off", id, call.tool().toolName(), failure);
        return new RefusedCall(
                "failed", "the result broke off while it was read: ask for less, or again (request " + id + ")");
    }

    String reason() {
        return reason;
    }

    /// The message for the model, without stored data.
    String text() {
        return String.valueOf(getMessage());
    }
}
