package org.restheart.core.server;

import io.undertow.UndertowOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.restheart.core.config.ConnectionOptions;
import org.xnio.Option;
import org.xnio.OptionMap;

/// Translates `connection-options` for Undertow.
final class ConnectionOptionMap {
    /// Options that the request reader depends on, and the `Host` field of HTTP/1.1, about which Undertow would warn
    /// on every connection. They are not configurable.
    private static final Set<String> OURS =
            Set.of("DECODE_URL", "ALLOW_UNESCAPED_CHARACTERS_IN_URL", "URL_CHARSET", "REQUIRE_HOST_HTTP11");

    /// The cost of parsing fields that collide in Undertow's table grows with its square.
    private static final long ALLOWANCE = 4;

    /// Of one connection of HTTP/2, unless configured. Browsers and libraries keep to it.
    private static final int MAX_CONCURRENT_STREAMS = 1_000;

    private ConnectionOptionMap() {}

    static OptionMap of(ConnectionOptions options, boolean allowUnescapedCharacters) {
        var map = OptionMap.builder();
        map.set(UndertowOptions.HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MAX_CONCURRENT_STREAMS);
        others(map, options.others());
        map.set(UndertowOptions.DECODE_URL, false);
        map.set(UndertowOptions.ALLOW_UNESCAPED_CHARACTERS_IN_URL, allowUnescapedCharacters);
        map.set(UndertowOptions.ALWAYS_SET_DATE, false);
        map.set(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, options.alwaysSetKeepAlive());
        map.set(UndertowOptions.ENABLE_HTTP2, options.http2());
        map.set(UndertowOptions.MAX_HEADER_SIZE, options.maxHeaderSize());
        map.set(UndertowOptions.MAX_ENTITY_SIZE, -1L); // BodyReceiver enforces it, with an error body
        map.set(UndertowOptions.MULTIPART_MAX_ENTITY_SIZE, -1L);
        map.set(UndertowOptions.MAX_PARAMETERS, most(options.maxParameters()));
        map.set(UndertowOptions.MAX_HEADERS, most(options.maxHeaders()));
        map.set(UndertowOptions.MAX_COOKIES, options.maxCookies());
        millis(map, UndertowOptions.IDLE_TIMEOUT, options.idleTimeout());
        millis(map, UndertowOptions.REQUEST_PARSE_TIMEOUT, options.requestParseTimeout());
        millis(map, UndertowOptions.NO_REQUEST_TIMEOUT, options.noRequestTimeout());
        return map.getMap();
    }

    /// What Undertow lets pass: more than the limit, so that [HeadLimits] can say which limit a request exceeds.
    /// Undertow closes the connection of what exceeds this, without a response.
    static int most(int limit) {
        return (int) Math.min(Integer.MAX_VALUE, ALLOWANCE * limit);
    }

    private static void millis(OptionMap.Builder map, Option<Integer> option, Optional<Duration> time) {
        time.ifPresent(t -> map.set(option, (int) Math.min(Integer.MAX_VALUE, t.toMillis())));
    }

    private static void others(OptionMap.Builder map, Map<String, Object> options) {
        options.forEach((name, value) -> {
            if (!OURS.contains(name)) {
                var loader = UndertowOptions.class.getClassLoader();
                map.parse(Option.fromString(UndertowOptions.class.getName() + "." + name, loader), value.toString());
            }
        });
    }
}
