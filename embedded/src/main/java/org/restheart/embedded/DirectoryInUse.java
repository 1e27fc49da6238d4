package org.restheart.embedded;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Another process uses the data directory.
public final class DirectoryInUse extends EmbeddedMongoException {
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
