package org.restheart.core.server;

import io.undertow.UndertowOptions;
import java.time.Duration;
import java.util.Optional;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.ListenerConfig;
import org.restheart.http.MemoryBudget;
import org.restheart.security.ClientAddress;
import org.xnio.Option;
import org.xnio.OptionMap;

/// The parts of the configuration that concern the server.
public record ServerSettings(
        CoreConfig core,
        ListenerConfig http,
        ListenerConfig.Tls https,
        ConnectionOptions connection,
        Limits limits,
        ClientAddress clients) {
    private static final Duration CONTENT_TIMEOUT = Duration.ofSeconds(20);

    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(1);

    /// Connections and requests at once on `management-listener`, and bytes of each kind that they may have in memory.
    private static final int MANAGEMENT_CLIENTS = 200;

    private static final int MANAGEMENT_BYTES = 16 << 20;

    /// The cost of parsing fields that collide in Undertow's table grows with its square.
    private static final long ALLOWANCE = 4;

    /// Bounds of concurrent requests.
    ///
    /// @param maxConnections beyond which connections are closed at once
    /// @param maxRequestsInFlight beyond which requests are refused with 503
    /// @param maxBodiesInMemory bytes of request content in memory for all requests together
    /// @param maxAnonymousBodies bytes of them for callers without an account
    /// @param memory of what is read, and of responses until their clients have taken them
    /// @param maxArrivingHeads bytes of heads of requests that are not complete, of all clients together
    /// @param maxStreamedContent bytes of one request's content that is read while it arrives
    /// @param responseTimeout after which the connection of a client is closed that takes nothing of a response
    public record Limits(
            int maxConnections,
            int maxConnectionsPerAddress,
            int maxRequestsInFlight,
            long maxBodiesInMemory,
            long maxAnonymousBodies,
            MemoryBudget memory,
            long maxArrivingHeads,
            long maxStreamedContent,
            Duration contentTimeout,
            Duration responseTimeout) {}

    public static ServerSettings of(GatewayConfig config) {
        return new ServerSettings(
                config.core(),
                config.http(),
                config.https(),
                config.connection(),
                new Limits(
                        config.core().maxConnections(),
                        config.core().maxConnectionsPerAddress(),
                        config.core().maxInFlightRequests(),
                        config.core().maxBufferedContent(),
                        config.security().canAuthenticate()
                                ? config.core().maxAnonymousContent()
                                : config.core().maxBufferedContent(),
                        new MemoryBudget(config.core().maxBufferedResponses()),
                        MemoryBudget.Part.HEADS.bytes() / 2,
                        config.core().maxStreamedContent(),
                        CONTENT_TIMEOUT,
                        RESPONSE_TIMEOUT),
                config.security().guards().clientAddress());
    }

    /// The same for `management-listener`, whose clients are few.
    public static ServerSettings management(GatewayConfig config) {
        var settings = of(config);
        var limits = settings.limits;
        return new ServerSettings(
                config.core(),
                config.management(),
                new ListenerConfig.Tls(new ListenerConfig("", false, "", 0, false), Optional.empty()),
                settings.connection,
                new Limits(
                        MANAGEMENT_CLIENTS,
                        MANAGEMENT_CLIENTS,
                        MANAGEMENT_CLIENTS,
                        MANAGEMENT_BYTES,
                        MANAGEMENT_BYTES,
                        new MemoryBudget(MANAGEMENT_BYTES),
                        MANAGEMENT_BYTES,
                        MANAGEMENT_BYTES,
                        limits.contentTimeout,
                        limits.responseTimeout),
                new ClientAddress.Peer());
    }

    /// `connection-options` as Undertow has them.
    OptionMap options() {
        var map = OptionMap.builder();
        map.set(UndertowOptions.HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, connection.maxConcurrentStreams());
        map.set(UndertowOptions.DECODE_URL, false);
        map.set(UndertowOptions.ALLOW_UNESCAPED_CHARACTERS_IN_URL, core.allowUnescapedCharactersInUrl());
        map.set(UndertowOptions.ALWAYS_SET_DATE, false);
        map.set(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, connection.alwaysSetKeepAlive());
        map.set(UndertowOptions.ENABLE_HTTP2, connection.http2());
        map.set(UndertowOptions.MAX_HEADER_SIZE, connection.maxHeaderSize());
        map.set(UndertowOptions.MAX_ENTITY_SIZE, -1L); // BodyReceiver enforces it, with an error body
        map.set(UndertowOptions.MULTIPART_MAX_ENTITY_SIZE, -1L);
        map.set(UndertowOptions.MAX_PARAMETERS, most(connection.maxParameters()));
        map.set(UndertowOptions.MAX_HEADERS, most(connection.maxHeaders()));
        map.set(UndertowOptions.MAX_COOKIES, connection.maxCookies());
        millis(map, UndertowOptions.IDLE_TIMEOUT, connection.idleTimeout());
        millis(map, UndertowOptions.REQUEST_PARSE_TIMEOUT, connection.requestParseTimeout());
        millis(map, UndertowOptions.NO_REQUEST_TIMEOUT, connection.noRequestTimeout());
        return map.getMap();
    }

    /// What Undertow lets pass: more than the limit, so that [HeadChecks] can say which limit a request exceeds.
    /// Undertow closes the connection of what exceeds this, without a response.
    static int most(int limit) {
        return (int) Math.min(Integer.MAX_VALUE, ALLOWANCE * limit);
    }

    private static void millis(OptionMap.Builder map, Option<Integer> option, Optional<Duration> time) {
        time.ifPresent(t -> map.set(option, (int) Math.min(Integer.MAX_VALUE, t.toMillis())));
    }
}
