package org.restheart.embedded;

/// No mongod could be found or started. The message is meant for the person at the terminal: what happened
/// and what to do about it.
public sealed class EmbeddedMongoException extends RuntimeException permits DirectoryInUse {
    private static final long serialVersionUID = 1L;

    EmbeddedMongoException(String message) {
        super(message);
    }

    EmbeddedMongoException(String message, Throwable cause) {
        super(message, cause);
    }
}
