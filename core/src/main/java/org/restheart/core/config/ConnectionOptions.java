package org.restheart.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.restheart.http.Words;

/// `connection-options`: limits of connections and requests.
///
/// @param maxHeaderSize bytes of a request's head
/// @param maxEntitySize bytes of a request's body, beyond which it is refused with 413; empty for no limit
/// @param idleTimeout a connection is closed after this time without bytes; empty for never
/// @param requestParseTimeout to receive a request's head; empty for no limit
/// @param noRequestTimeout a kept-alive connection is closed after this time without a request; empty for never
/// @param others the further options that are set, by name: a `Boolean` or an `Integer` each
public record ConnectionOptions(
        boolean http2,
        int maxHeaderSize,
        Optional<Long> maxEntitySize,
        Optional<Duration> idleTimeout,
        Optional<Duration> requestParseTimeout,
        Optional<Duration> noRequestTimeout,
        int maxParameters,
        int maxHeaders,
        int maxCookies,
        boolean alwaysSetKeepAlive,
        Map<String, Object> others) {

    /// Options without a default here: passed to the HTTP server by name when they are set.
    private static final List<String> OTHER_FLAGS = Words.list("""
            ALLOW_EQUALS_IN_COOKIE_VALUE ALLOW_UNKNOWN_PROTOCOLS ALLOW_UNESCAPED_CHARACTERS_IN_URL
            BUFFER_PIPELINED_DATA DECODE_URL ENABLE_RFC6265_COOKIE_VALIDATION ENABLE_STATISTICS
            HTTP2_SETTINGS_ENABLE_PUSH RECORD_REQUEST_START_TIME REQUIRE_HOST_HTTP11 SSL_USER_CIPHER_SUITES_ORDER""");
    private static final List<String> OTHER_NUMBERS = Words.list("""
            HTTP2_HUFFMAN_CACHE_SIZE HTTP2_SETTINGS_HEADER_TABLE_SIZE HTTP2_SETTINGS_INITIAL_WINDOW_SIZE
            HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS HTTP2_SETTINGS_MAX_FRAME_SIZE MAX_BUFFERED_REQUEST_SIZE
            MAX_CACHED_HEADER_SIZE MAX_CONCURRENT_REQUESTS_PER_CONNECTION MAX_QUEUED_READ_BUFFERS SHUTDOWN_TIMEOUT""");

    /// As large as the largest BSON document.
    static final long DEFAULT_MAX_ENTITY_SIZE = 16 * 1024 * 1024;

    /// In milliseconds: a head that takes longer only holds a connection.
    private static final int DEFAULT_PARSE_TIMEOUT = 30_000;

    /// Longer than load balancers usually keep an idle connection, so that these close it first.
    private static final int DEFAULT_NO_REQUEST_TIMEOUT = 75_000;

    static ConnectionOptions read(Block block) {
        return new ConnectionOptions(
                block.bool("ENABLE_HTTP2", true),
                (int) Math.min(Integer.MAX_VALUE, block.longInteger("MAX_HEADER_SIZE", 131_072, 1, Long.MAX_VALUE)),
                size(block, "MAX_ENTITY_SIZE", DEFAULT_MAX_ENTITY_SIZE),
                timeout(block, "IDLE_TIMEOUT", -1),
                limit(block, "REQUEST_PARSE_TIMEOUT", DEFAULT_PARSE_TIMEOUT),
                limit(block, "NO_REQUEST_TIMEOUT", DEFAULT_NO_REQUEST_TIMEOUT),
                block.integer("MAX_PARAMETERS", 1_000, 1, Integer.MAX_VALUE),
                block.integer("MAX_HEADERS", 200, 1, Integer.MAX_VALUE),
                block.integer("MAX_COOKIES", 200, 1, Integer.MAX_VALUE),
                block.bool("ALWAYS_SET_KEEP_ALIVE", true),
                others(block));
    }

    private static Optional<Long> size(Block block, String key, long absent) {
        long bytes = block.longInteger(key, absent, -1, Long.MAX_VALUE);
        return bytes < 0 ? Optional.empty() : Optional.of(bytes);
    }

    /// A time that protects the server. Configurations of earlier versions say -1 because that was in the file they
    /// began with, not because somebody wanted no limit: it means the default. Only 0 is none.
    private static Optional<Duration> limit(Block block, String key, int otherwise) {
        var time = block.millis(key, otherwise, -1, Integer.MAX_VALUE);
        return time.isNegative()
                ? Optional.of(Duration.ofMillis(otherwise))
                : Optional.of(time).filter(Duration::isPositive);
    }

    private static Optional<Duration> timeout(Block block, String key, int absent) {
        var time = block.millis(key, absent, -1, Integer.MAX_VALUE);
        return time.isPositive() ? Optional.of(time) : Optional.empty();
    }

    private static Map<String, Object> others(Block block) {
        var options = new TreeMap<String, Object>();
        OTHER_FLAGS.stream().filter(block::has).forEach(name -> options.put(name, block.bool(name, false)));
        OTHER_NUMBERS.stream()
                .filter(block::has)
                .forEach(name -> options.put(
                        name, (int) Math.min(Integer.MAX_VALUE, block.longInteger(name, 0, -1, Long.MAX_VALUE))));
        return Map.copyOf(options);
    }
}
