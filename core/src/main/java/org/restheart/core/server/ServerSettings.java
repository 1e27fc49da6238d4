package org.restheart.core.server;

import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.ListenerConfig;

/// The parts of the configuration that concern the server.
public record ServerSettings(
        CoreConfig core, ListenerConfig http, ListenerConfig.Tls https, ConnectionOptions connection, Limits limits) {
    /// How much the server takes on at once.
    ///
    /// @param maxRequestsInFlight beyond which requests are refused with 503
    /// @param maxBodiesInMemory bytes of request content held for all requests together
    public record Limits(int maxRequestsInFlight, long maxBodiesInMemory) {}

    public static ServerSettings of(GatewayConfig config) {
        return new ServerSettings(
                config.core(),
                config.http(),
                config.https(),
                config.connection(),
                new Limits(config.core().maxInFlightRequests(), config.core().maxBufferedContent()));
    }
}
