package org.restheart.core;

/// The server cannot start for a reason that the operator can fix; the message says how.
final class StartFailure extends Exception {
    StartFailure(Throwable cause) {
        super(cause.getMessage(), cause);
    }

    /// @param remedy what to do, after the message of the cause
    StartFailure(Throwable cause, String remedy) {
        super(cause.getMessage() + "; " + remedy, cause);
    }
}
