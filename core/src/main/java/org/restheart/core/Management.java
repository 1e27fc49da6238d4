package org.restheart.core;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.UndertowListener;
import org.restheart.http.Connection;
import org.restheart.http.Filter;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `management-listener`: metrics and probes on a port of their own, without accounts, so that they answer while
/// MongoDB is away, and before and after the other listeners do. Close it last.
final class Management implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final UndertowListener listener;

    /// @param services by their paths; nothing else is there
    private Management(GatewayConfig config, List<Binding> services) {
        boolean loopback = config.management().isLoopback();
        Filter open = (request, next) -> next.handle(request);
        var pipeline = new Pipeline(
                Pipeline.Settings.of(config),
                new ErrorMapping(_ -> Optional.empty()),
                _ -> open,
                _ -> open,
                Optional.empty());
        var router = new Router(services.stream()
                .map(binding -> Binding.prefix(new Plain(binding.service(), loopback), binding.uri(), false))
                .map(pipeline::assemble)
                .toList());
        UndertowListener.requireFreePorts(config.http(), config.https(), config.management()); // named in the error
        this.listener = UndertowListener.start(
                ServerSettings.management(config), router, Observer.all(List.of()), Optional.empty());
    }

    static Management start(GatewayConfig config, List<Binding> services) {
        return new Management(config, services);
    }

    InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void close() {
        listener.stop(CLOSING);
    }

    /// A service without the headers that let pages of other origins read responses.
    ///
    /// @param loopback whether requests must name this machine: other names that lead here are those of pages in a
    ///     browser on it (DNS rebinding)
    private record Plain(Service service, boolean loopback) implements Service {
        @Override
        public String name() {
            return service.name();
        }

        @Override
        public boolean bypassesFilters() {
            return true;
        }

        @Override
        public boolean startsOnIoThread(Request request) {
            return service.startsOnIoThread(request);
        }

        @Override
        public Response handle(Request request) {
            return loopback && !Connection.isLoopback(request.connection().host())
                    ? Response.status(421)
                    : service.handle(request);
        }
    }
}
