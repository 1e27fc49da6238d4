package org.restheart.core.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The options of a connection without a default here: passed to the HTTP server by name when they are set.
final class FurtherOptions {
    private static final List<String> FLAGS = List.of(
            "ALLOW_EQUALS_IN_COOKIE_VALUE",
            "ALLOW_UNKNOWN_PROTOCOLS",
            "ALLOW_UNESCAPED_CHARACTERS_IN_URL",
            "BUFFER_PIPELINED_DATA",
            "DECODE_URL",
            "ENABLE_RFC6265_COOKIE_VALIDATION",
            "ENABLE_STATISTICS",
            "HTTP2_SETTINGS_ENABLE_PUSH",
            "RECORD_REQUEST_START_TIME",
            "REQUIRE_HOST_HTTP11",
            "SSL_USER_CIPHER_SUITES_ORDER");
    private static final List<String> NUMBERS = List.of(
            "HTTP2_HUFFMAN_CACHE_SIZE",
            "HTTP2_SETTINGS_HEADER_TABLE_SIZE",
            "HTTP2_SETTINGS_INITIAL_WINDOW_SIZE",
            "HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS",
            "HTTP2_SETTINGS_MAX_FRAME_SIZE",
            "MAX_BUFFERED_REQUEST_SIZE",
            "MAX_CACHED_HEADER_SIZE",
            "MAX_CONCURRENT_REQUESTS_PER_CONNECTION",
            "MAX_QUEUED_READ_BUFFERS",
            "SHUTDOWN_TIMEOUT");

    private FurtherOptions() {}

    static Map<String, Object> read(Block block) {
        var options = new TreeMap<String, Object>();
        FLAGS.stream().filter(block::has).forEach(name -> options.put(name, block.bool(name, false)));
        NUMBERS.stream()
                .filter(block::has)
                .forEach(name -> options.put(
                        name, (int) Math.min(Integer.MAX_VALUE, block.longInteger(name, 0, -1, Long.MAX_VALUE))));
        return Map.copyOf(options);
    }
}
