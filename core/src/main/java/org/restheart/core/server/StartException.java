package org.restheart.core.server;

/// The server cannot start. The message says what to correct.
public final class StartException extends RuntimeException {
    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
