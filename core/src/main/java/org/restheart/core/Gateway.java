package org.restheart.core;

import com.mongodb.client.MongoClient;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.LoggingConfig.RequestsLog;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.filter.PipelineSettings;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.observation.Observer;
import org.restheart.core.observation.RequestLog;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.service.DatabaseProbe;
import org.restheart.core.service.MetricsService;
import org.restheart.core.service.PingService;
import org.restheart.http.Service;
import org.restheart.mongo.MongoService;
import org.restheart.mongo.cache.CacheInvalidator;
import org.restheart.mongo.changestream.ChangeStreamConfig;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.csv.CsvLoader;
import org.restheart.mongo.error.MongoErrors;

/// The running server: everything is wired here, by hand, and closed in the opposite order.
public final class Gateway implements AutoCloseable {
    private final GatewayConfig config;
    private final ClosingOrder opened;
    private final List<Binding> bindings = new ArrayList<>();
    private final UndertowListener listener;

    private Gateway(GatewayConfig config, ClosingOrder opened) {
        this.config = config;
        this.opened = opened;

        var metrics = Metrics.open(config.metrics());
        opened.push(metrics::close);
        var observers = new ArrayList<Observer>(metrics.observers());
        if (config.logging().requestsLog() != RequestsLog.NOTHING) {
            var log = RequestLog.open(config.logging());
            opened.push(log::close);
            observers.add(log);
        }
        var client = connect(metrics);
        var security = Security.open(config.security(), client);
        opened.push(security::close);

        bindings.addAll(security.bindings());
        bindPing();
        bindMetrics(metrics);
        client.ifPresent(mongo -> {
            bindDatabaseProbe(mongo);
            bindData(mongo, security, metrics);
        });
        var pipeline =
                new Pipeline(PipelineSettings.of(config), new ErrorMapping(MongoErrors::toProblem), security::door);
        var router = new Router(bindings.stream().map(pipeline::assemble).toList());
        this.listener = UndertowListener.start(ServerSettings.of(config), router, Observer.all(observers));
        opened.push(() -> listener.stop(config.core().drainTimeout()));
        metrics.watch(listener.load());
    }

    /// Starts the server; returns when all listeners accept connections. MongoDB need not be there yet.
    ///
    /// @throws org.restheart.core.server.StartException naming what to correct
    public static Gateway start(GatewayConfig config) {
        var opened = new ClosingOrder();
        Gateway gateway = null;
        try {
            gateway = new Gateway(config, opened);
            return gateway;
        } finally {
            if (gateway == null) {
                opened.close();
            }
        }
    }

    private Optional<MongoClient> connect(Metrics metrics) {
        if (!config.mclient().enabled()) {
            return Optional.empty();
        }
        var client = MongoConnection.open(config, metrics.mongoPool());
        opened.push(client::close);
        return Optional.of(client);
    }

    private MongoClient connectForStreams(ChangeStreamConfig streams, MongoClient otherwise) {
        if (!streams.enabled()) {
            return otherwise;
        }
        var client = MongoConnection.openForStreams(config, streams.maxCursors());
        opened.push(client::close);
        return client;
    }

    private void bindPing() {
        var ping = config.ping();
        bind(ping.endpoint(), new PingService(ping.message(), ping.extended(), BuildInfo.load()));
    }

    private void bindMetrics(Metrics metrics) {
        var endpoint = config.metrics().endpoint();
        var missing = config.metrics().missingRegistryStatus();
        bind(endpoint, new MetricsService(endpoint.uri(), missing, metrics.registries()));
    }

    private void bindDatabaseProbe(MongoClient client) {
        var probe = config.databaseProbe();
        bind(probe.endpoint(), new DatabaseProbe(client, probe.database(), probe.timeout()));
    }

    private void bindData(MongoClient client, Security security, Metrics metrics) {
        config.mongo().ifPresent(data -> {
            var streamClient = connectForStreams(data.streams(), client);
            var streams = new ChangeStreams(streamClient, data.streams(), metrics.streams(), security::stillAdmits);
            opened.push(streams::close);
            var service = new MongoService(data, client, streams, metrics.coalescing());
            opened.push(service::close);
            bindings.add(Binding.prefix(security.guard(service), data.uri(), true));
            bind(config.cacheInvalidator(), new CacheInvalidator(service.metadata(), service.writes()));
            bind(config.csvLoader(), security.guard(new CsvLoader(client, service.metadata())));
        });
    }

    private void bind(Endpoint endpoint, Service service) {
        if (endpoint.enabled()) {
            bindings.add(Binding.of(service, endpoint));
        }
    }

    /// Where the first listener listens.
    public InetSocketAddress address() {
        return listener.address();
    }

    /// Stops; returns when everything is closed. Running requests have the configured time to end.
    @Override
    public void close() {
        opened.close();
    }
}
