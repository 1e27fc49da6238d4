package org.restheart.core;

import com.mongodb.client.MongoClient;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.filter.PipelineSettings;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.service.DatabaseProbe;
import org.restheart.core.service.PingService;
import org.restheart.mongo.MongoErrors;
import org.restheart.mongo.MongoService;

/// The running server: everything is wired here, by hand, and stopped in the opposite order.
public final class Gateway implements AutoCloseable {
    private final GatewayConfig config;
    private final Optional<MongoClient> client;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Security security;
    private final UndertowListener listener;

    private Gateway(GatewayConfig config) {
        this.config = config;
        this.client = config.mclient().enabled() ? Optional.of(MongoConnection.open(config)) : Optional.empty();
        this.security = Security.open(config.security(), client);
        var pipeline =
                new Pipeline(PipelineSettings.of(config), new ErrorMapping(MongoErrors::toProblem), security::door);
        var router = new Router(bindings().stream().map(pipeline::assemble).toList());
        this.listener = UndertowListener.start(ServerSettings.of(config), router, Observer.all(List.of()));
    }

    /// Starts the server; returns when all listeners accept connections. MongoDB need not be there yet.
    ///
    /// @throws org.restheart.core.server.StartException naming what to correct
    public static Gateway start(GatewayConfig config) {
        return new Gateway(config);
    }

    private List<Binding> bindings() {
        var bindings = new ArrayList<Binding>();
        var ping = config.ping();
        if (ping.endpoint().enabled()) {
            bindings.add(
                    Binding.of(new PingService(ping.message(), ping.extended(), BuildInfo.load()), ping.endpoint()));
        }
        client.ifPresent(mongo -> bindings.addAll(bindings(mongo)));
        return bindings;
    }

    private List<Binding> bindings(MongoClient mongo) {
        var bindings = new ArrayList<Binding>();
        config.mongo().ifPresent(data -> {
            var service = security.guard(new MongoService(data, mongo, meters));
            bindings.add(Binding.prefix(service, data.uri(), true));
        });
        var probe = config.databaseProbe();
        if (probe.endpoint().enabled()) {
            bindings.add(Binding.of(new DatabaseProbe(mongo, probe.database(), probe.timeout()), probe.endpoint()));
        }
        return bindings;
    }

    /// Where the first listener listens.
    public InetSocketAddress address() {
        return listener.address();
    }

    /// Stops; returns when everything is closed. Running requests have the configured time to end.
    @Override
    public void close() {
        listener.stop(config.core().drainTimeout());
        security.close();
        client.ifPresent(MongoClient::close);
    }
}
