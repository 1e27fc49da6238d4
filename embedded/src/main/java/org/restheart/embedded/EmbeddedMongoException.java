package org.restheart.embedded;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// No mongod could be found or started. The message is meant for the person at the terminal: what happened
/// and what to do about it.
public sealed class EmbeddedMongoException extends RuntimeException permits EmbeddedMongoException.DirectoryInUse {
    private static final long serialVersionUID = 1L;

    EmbeddedMongoException(String message) {
        super(message);
    }

    EmbeddedMongoException(String message, Throwable cause) {
        super(message, cause);
    }

    /// Another process uses the data directory.
    public static final class DirectoryInUse extends EmbeddedMongoException {
        private static final long serialVersionUID = 1L;

        private final @Nullable String connectionString;

        DirectoryInUse(String message, Optional<String> connectionString) {
            super(message);
            this.connectionString = connectionString.orElse(null);
        }

        /// Of the mongod that has the directory, if it is known.
        public Optional<String> connectionString() {
            return Optional.ofNullable(connectionString);
        }
    }
}
