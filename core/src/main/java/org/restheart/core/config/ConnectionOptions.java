package org.restheart.core.config;

import java.time.Duration;
import java.util.Optional;

/// `connection-options`: limits of connections and requests; empty for none.
public record ConnectionOptions(
        boolean http2,
        int maxConcurrentStreams,
        int maxHeaderSize,
        Optional<Long> maxEntitySize,
        Optional<Duration> idleTimeout,
        Optional<Duration> requestParseTimeout,
        Optional<Duration> noRequestTimeout,
        int maxParameters,
        int maxHeaders,
        int maxCookies,
        boolean alwaysSetKeepAlive) {

    /// As large as the largest BSON document.
    static final long DEFAULT_MAX_ENTITY_SIZE = 16 * 1024 * 1024;

    static ConnectionOptions read(Block block) {
        return new ConnectionOptions(
                block.bool("ENABLE_HTTP2"),
                block.integer("HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS"),
                (int) Math.min(Integer.MAX_VALUE, block.longInteger("MAX_HEADER_SIZE")),
                size(block, "MAX_ENTITY_SIZE"),
                Optional.of(block.duration("IDLE_TIMEOUT")).filter(Duration::isPositive),
                limit(block, "REQUEST_PARSE_TIMEOUT"),
                limit(block, "NO_REQUEST_TIMEOUT"),
                block.integer("MAX_PARAMETERS"),
                block.integer("MAX_HEADERS"),
                block.integer("MAX_COOKIES"),
                block.bool("ALWAYS_SET_KEEP_ALIVE"));
    }

    private static Optional<Long> size(Block block, String key) {
        long bytes = block.longInteger(key);
        return bytes < 0 ? Optional.empty() : Optional.of(bytes);
    }

    /// A time that protects the server. Configurations of earlier versions say -1 because that was in the file they
    /// began with, not because somebody wanted no limit: it means the default. Only 0 is none.
    private static Optional<Duration> limit(Block block, String key) {
        var time = block.duration(key);
        return time.isNegative()
                ? Optional.of(Duration.ofMillis(block.defaultOf(key)))
                : Optional.of(time).filter(Duration::isPositive);
    }
}
