package org.restheart.embedded;

/// No mongod could be found or started. The message is meant for the person at the terminal: what happened
/// and what to do about it.
public final class EmbeddedMongoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EmbeddedMongoException(String message) {
        super(message);
    }

    EmbeddedMongoException(String message, Throwable cause) {
        super(message, cause);
    }
}
