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

    /// Durable, with any free port, 256 MB of cache and no further server parameters.
    public static EmbeddedMongoConfig in(Path dataDirectory) {
        return new EmbeddedMongoConfig(dataDirectory, 0, 256, true, null, List.of());
    }

    public EmbeddedMongoConfig withPort(int other) {
        return new EmbeddedMongoConfig(dataDirectory, other, cacheMegabytes, durable, binary, serverParameters);
    }

    public EmbeddedMongoConfig withBinary(Path other) {
        return new EmbeddedMongoConfig(dataDirectory, port, cacheMegabytes, durable, other, serverParameters);
    }

    public EmbeddedMongoConfig withoutDurability() {
        return new EmbeddedMongoConfig(dataDirectory, port, cacheMegabytes, false, binary, serverParameters);
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("embedded MongoDB: " + message);
        }
    }
}
