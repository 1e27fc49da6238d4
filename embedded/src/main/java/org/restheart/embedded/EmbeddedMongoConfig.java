package org.restheart.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How to run the child mongod; it always listens on 127.0.0.1 only. Immutable.
///
/// @param dataDirectory created when absent; its content survives restarts and belongs to one process at a
///     time
/// @param port from 1 to 65535, or 0: the port of the last start if that is free, else any free one
/// @param replicaSet the name of the set; must stay the same for one data directory
/// @param cacheMegabytes WiredTiger's cache, from 256 (the least mongod accepts) to 10,000,000
/// @param durable false acknowledges writes before they are on disk: for data that is thrown away
/// @param binary the mongod to run; null looks for one, see [MongodBinary#find]
/// @param cacheDirectory where a downloaded mongod is kept
/// @param startTimeout until the primary accepts writes, recovery of the data included
/// @param serverParameters more of mongod's server parameters, each as `name=value`
public record EmbeddedMongoConfig(
        Path dataDirectory,
        int port,
        String replicaSet,
        int cacheMegabytes,
        boolean durable,
        @Nullable Path binary,
        Path cacheDirectory,
        Duration startTimeout,
        List<String> serverParameters) {

    public EmbeddedMongoConfig {
        serverParameters = List.copyOf(serverParameters);
        check(port >= 0 && port <= 65_535, "port must be from 0 to 65535 but was " + port);
        check(
                replicaSet.matches("[A-Za-z0-9_-]{1,64}"),
                "replica set name must be 1 to 64 letters, digits, '-' or '_'");
        check(
                cacheMegabytes >= 256 && cacheMegabytes <= 10_000_000,
                "cache must be from 256 to 10000000 MB but was " + cacheMegabytes);
        check(startTimeout.isPositive(), "start timeout must be positive but was " + startTimeout);
    }

    /// Durable, any free port, set `rs0`, 256 MB of cache, a minute to start.
    public static EmbeddedMongoConfig in(Path dataDirectory) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                0,
                "rs0",
                256,
                true,
                null,
                MongodBinary.standardCache(),
                Duration.ofMinutes(1),
                List.of());
    }

    public EmbeddedMongoConfig withPort(int port) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                port,
                replicaSet,
                cacheMegabytes,
                durable,
                binary,
                cacheDirectory,
                startTimeout,
                serverParameters);
    }

    public EmbeddedMongoConfig withCacheMegabytes(int cacheMegabytes) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                port,
                replicaSet,
                cacheMegabytes,
                durable,
                binary,
                cacheDirectory,
                startTimeout,
                serverParameters);
    }

    public EmbeddedMongoConfig withDurable(boolean durable) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                port,
                replicaSet,
                cacheMegabytes,
                durable,
                binary,
                cacheDirectory,
                startTimeout,
                serverParameters);
    }

    public EmbeddedMongoConfig withBinary(@Nullable Path binary) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                port,
                replicaSet,
                cacheMegabytes,
                durable,
                binary,
                cacheDirectory,
                startTimeout,
                serverParameters);
    }

    public EmbeddedMongoConfig withServerParameters(List<String> serverParameters) {
        return new EmbeddedMongoConfig(
                dataDirectory,
                port,
                replicaSet,
                cacheMegabytes,
                durable,
                binary,
                cacheDirectory,
                startTimeout,
                serverParameters);
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("embedded MongoDB: " + message);
        }
    }
}
