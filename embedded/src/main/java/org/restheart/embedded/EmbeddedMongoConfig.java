package org.restheart.embedded;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How to run the child mongod; it always listens on 127.0.0.1 only. Immutable.
///
/// @param dataDirectory created when absent; its content survives restarts and belongs to one process at a
///     time
/// @param port from 1 to 65535, or 0: the port of the last start if that is free, else any free one
/// @param cacheMegabytes WiredTiger's cache, from 256 (the least mongod accepts) to 10,000,000
/// @param durable false acknowledges writes before they are on disk: for data that is thrown away
/// @param binary the mongod to run; null looks for one, see [MongodBinary#find]
/// @param serverParameters more of mongod's server parameters, each as `name=value`
public record EmbeddedMongoConfig(
        Path dataDirectory,
        int port,
        int cacheMegabytes,
        boolean durable,
        @Nullable Path binary,
        List<String> serverParameters) {

    /// The name of the replica set, which is stored in the data directory and so must stay the same.
    static final String REPLICA_SET = "rs0";

    public EmbeddedMongoConfig {
        serverParameters = List.copyOf(serverParameters);
        check(port >= 0 && port <= 65_535, "port must be from 0 to 65535 but was " + port);
        check(
                cacheMegabytes >= 256 && cacheMegabytes <= 10_000_000,
                "cache must be from 256 to 10000000 MB but was " + cacheMegabytes);
    }

    /// The defaults of [Builder].
    public static EmbeddedMongoConfig in(Path dataDirectory) {
        return builder(dataDirectory).build();
    }

    public static Builder builder(Path dataDirectory) {
        return new Builder(dataDirectory);
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("embedded MongoDB: " + message);
        }
    }

    /// Builds a configuration. Without changes it is durable, with any free port, 256 MB of cache and no
    /// further server parameters.
    public static final class Builder {
        private final Path dataDirectory;
        private int port;
        private int cacheMegabytes = 256;
        private boolean durable = true;
        private @Nullable Path binary;
        private List<String> serverParameters = List.of();

        private Builder(Path dataDirectory) {
            this.dataDirectory = dataDirectory;
        }

        public Builder port(int port) {
            this.port = port;
            return this;
        }

        public Builder cacheMegabytes(int cacheMegabytes) {
            this.cacheMegabytes = cacheMegabytes;
            return this;
        }

        public Builder durable(boolean durable) {
            this.durable = durable;
            return this;
        }

        public Builder binary(Path binary) {
            this.binary = binary;
            return this;
        }

        public Builder serverParameters(List<String> serverParameters) {
            this.serverParameters = serverParameters;
            return this;
        }

        /// @throws IllegalArgumentException for a value out of its range
        public EmbeddedMongoConfig build() {
            return new EmbeddedMongoConfig(dataDirectory, port, cacheMegabytes, durable, binary, serverParameters);
        }
    }
}
