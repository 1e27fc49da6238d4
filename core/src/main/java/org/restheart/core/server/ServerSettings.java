package org.restheart.core.server;

import java.time.Duration;
import java.util.List;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.ListenerConfig;
import org.restheart.core.config.ProxyConfig;
import org.restheart.security.ClientAddress;

/// The parts of the configuration that concern the server.
///
/// @param clients determines the address under which a client's content is counted
public record ServerSettings(
        CoreConfig core,
        ListenerConfig http,
        ListenerConfig.Tls https,
        ConnectionOptions connection,
        Limits limits,
        ClientAddress clients,
        List<ProxyConfig> proxies) {
    private static final Duration CONTENT_TIMEOUT = Duration.ofSeconds(20);

    /// A head takes up to twice its bytes while it is parsed.
    private static final int HEADS_PART_OF_HEAP = 8;

    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(1);

    /// Bounds of concurrent requests.
    ///
    /// @param maxConnections beyond which connections are closed at once
    /// @param maxConnectionsPerAddress the same for one address
    /// @param maxRequestsInFlight beyond which requests are refused with 503
    /// @param maxBodiesInMemory bytes of request content in memory for all requests together
    /// @param maxAnonymousBodies bytes of them for callers without an account
    /// @param maxResponsesInMemory bytes of responses that clients have not taken yet, of all together
    /// @param maxArrivingHeads bytes of heads of requests that are not complete, of all clients together
    /// @param maxStreamedContent bytes of one request's content that is read while it arrives
    /// @param contentTimeout how long the content of a request may take to arrive before its rate is checked
    /// @param responseTimeout after which the connection of a client is closed that takes nothing of a response
    public record Limits(
            int maxConnections,
            int maxConnectionsPerAddress,
            int maxRequestsInFlight,
            long maxBodiesInMemory,
            long maxAnonymousBodies,
            long maxResponsesInMemory,
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
                        config.core().maxBufferedResponses(),
                        Runtime.getRuntime().maxMemory() / HEADS_PART_OF_HEAP,
                        config.core().maxStreamedContent(),
                        CONTENT_TIMEOUT,
                        RESPONSE_TIMEOUT),
                config.security().guards().clientAddress(),
                config.proxies());
    }
}
