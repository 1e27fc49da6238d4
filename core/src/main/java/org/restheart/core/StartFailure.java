package org.restheart.core;

/// The server cannot start, for a reason that the operator can do something about: the message says what.
final class StartFailure extends Exception {
    StartFailure(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
