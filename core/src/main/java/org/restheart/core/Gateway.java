package org.restheart.core;

import com.mongodb.client.MongoClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Predicate;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.GatewayConfig.RateLimitsConfig;
import org.restheart.core.config.GatewayConfig.TracingConfig;
import org.restheart.core.config.LoggingConfig.Audit;
import org.restheart.core.config.LoggingConfig.RequestsLog;
import org.restheart.core.config.MclientConfig;
import org.restheart.core.config.StaticResourceConfig;
import org.restheart.core.config.StaticResourceConfig.EmbeddedFolder;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.filter.RateLimits;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.observation.Observer;
import org.restheart.core.observation.RequestLog;
import org.restheart.core.observation.RequestLog.RequestAuditLog;
import org.restheart.core.plugins.Plugins;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Binding.Match;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.routing.Router;
import org.restheart.core.routing.Router.Route;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.StartException;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.service.DatabaseProbe;
import org.restheart.core.service.HealthService;
import org.restheart.core.service.HealthService.Check;
import org.restheart.core.service.HomePage;
import org.restheart.core.service.MetricsService;
import org.restheart.core.service.PingService;
import org.restheart.core.service.ProxyService;
import org.restheart.core.service.StaticResources;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.Connection;
import org.restheart.http.Filter;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.plugin.Plugin;

/// The running server: all parts are constructed here and closed in reverse order.
public final class Gateway implements AutoCloseable {
    private final GatewayConfig config;
    private final ClosingOrder opened;
    private final List<MongoConnection> connections = new ArrayList<>();
    private final List<Binding> bindings = new ArrayList<>();
    private final Metrics metrics;
    private final Observer observer;
    private final Optional<Tracing> tracing;
    private final InProcessRequests judgedRequests = new InProcessRequests();
    private final Plugins plugins;
    private final Security security;
    private final Optional<RateLimits> limits;
    private final UndertowListener listener;
    private final HealthService.State health = new HealthService.State();
    private final Optional<Management> management;
    private volatile boolean stopping;
    private MclientConfig mclient;

    private Gateway(GatewayConfig config, List<Plugin> given, ClosingOrder opened) {
        this.config = config;
        this.mclient = config.mclient();
        this.opened = opened;

        this.metrics = new Metrics(
                config.metrics(), BuildInfo.load().version(), BuildInfo.load().time());
        opened.push(metrics::close);
        var settings = ServerSettings.of(config);
        this.tracing = config.tracing().map(traces -> openTracing(traces, metrics));
        var client = connect(metrics);
        var probe = client.map(this::databaseProbe);
        this.management =
                config.management().enabled() ? Optional.of(openManagement(metrics, probe)) : Optional.empty();
        var tasks = new BackgroundTasks();
        opened.push(tasks::close);
        this.plugins = Plugins.install(
                config.plugins(),
                given,
                new Plugins.Surroundings(
                        client,
                        judgedRequests,
                        metrics.of(Metrics.Part.PLUGINS),
                        settings.limits().memory()));
        opened.push(plugins::close);
        this.security = new Security(config.security(), client, tasks, plugins.policy());
        opened.push(security::close);
        security.caches().forEach(metrics::watch);
        this.observer = openObserver(metrics, security.credentialHeaders());

        bindings.addAll(security.bindings());
        bindPing();
        bindHealth(probe);
        bindMetrics(metrics);
        var modules = new Modules(config, metrics, security, judgedRequests, opened);
        bindings.addAll(modules.install(false));
        client.ifPresent(mongo -> {
            if (config.mongo().isPresent()) {
                var parts = new DataServices.GatewayParts(
                        opened,
                        connections,
                        tasks,
                        metrics,
                        observer,
                        settings.limits().memory());
                bindings.addAll(new DataServices(config, mongo, parts, security, judgedRequests).open(modules));
            }
        });
        this.limits = config.rateLimits().map(rates -> openLimits(rates, client, tasks, metrics));
        var pipeline = new Pipeline(
                Pipeline.Settings.of(config),
                new ErrorMapping(MongoErrors::toProblem),
                modules::securityFilter,
                binding -> security.securityFilter(binding)::judge,
                limits);
        bindProxies();
        bindStaticResources();
        bindPlugins();
        var router = new Router(Home.of(
                config,
                bindings.stream().map(plugins::with).map(pipeline::assemble).toList(),
                pipeline::assemble));
        judgedRequests.connect(router, security::securityFilter, security.guards()::refusal);
        config.metrics()
                .push()
                .ifPresent(push -> opened.push(metrics.push(
                        push, BuildInfo.load().version(), config.core().name())::close));
        opened.push(tasks::stop); // they end while the services that use them are closed
        this.listener = UndertowListener.start(settings, router, observer, tracing);
        opened.push(() -> listener.stop(config.core().drainTimeout()));
        metrics.watch(listener);
        plugins.started();
        if (config.core().warmUp().isZero()) {
            health.ready();
        }
    }

    private Tracing openTracing(TracingConfig settings, Metrics metrics) {
        var traces =
                new Tracing(settings, BuildInfo.load().version(), config.core().name());
        opened.push(traces::close);
        metrics.watch(traces);
        return traces;
    }

    private RateLimits openLimits(
            RateLimitsConfig rates, Optional<MongoClient> client, BackgroundTasks tasks, Metrics metrics) {
        var limits = new RateLimits(rates, config.security().guards().clientAddress());
        metrics.watch(limits);
        rates.shared().ifPresent(shared -> client.ifPresent(mongo -> SharedRates.start(tasks, mongo, shared, limits)));
        return limits;
    }

    /// @param credentialHeaders names, in lower case, of headers whose values are not logged
    private Observer openObserver(Metrics metrics, Set<String> credentialHeaders) {
        var observers = new ArrayList<Observer>(metrics.observers());
        if (config.logging().requestsLog() != RequestsLog.NOTHING) {
            var log = new RequestLog(config.logging(), credentialHeaders, plugins.logFields());
            opened.push(log::close);
            metrics.watchLog("requests", log, RequestLog::lost);
            observers.add(log);
        }
        if (config.logging().audit() != Audit.NOTHING) {
            var audit = new RequestAuditLog(config.logging().audit());
            opened.push(audit::close);
            metrics.watchLog("audit", audit, RequestAuditLog::lost);
            observers.add(audit);
        }
        return Observer.all(observers);
    }

    /// Starts the server; returns when all listeners accept connections. MongoDB need not be reachable yet.
    ///
    /// @throws org.restheart.core.server.StartException naming what to correct
    public static Gateway start(GatewayConfig config) {
        return start(config, new Plugin[0]);
    }

    /// The same with plugins besides those of the configuration's folder, such as one that is tested.
    public static Gateway start(GatewayConfig config, Plugin... plugins) {
        var opened = new ClosingOrder();
        Gateway gateway = null;
        try {
            gateway = new Gateway(config, List.of(plugins), opened);
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
        var connection = MongoConnection.open(
                config,
                metrics.of(Metrics.Part.MONGO_POOL),
                List.of(metrics.commands(config.mclient().slowCommand())));
        opened.push(connection::close);
        connections.add(connection);
        metrics.watch(connection.client());
        return Optional.of(connection.client());
    }

    private void bindPing() {
        var ping = config.ping();
        bind(ping.endpoint(), new PingService(ping.message(), ping.extended(), BuildInfo.load()));
    }

    private void bindMetrics(Metrics metrics) {
        var endpoint = config.metrics().endpoint();
        var missing = config.metrics().missingRegistryStatus();
        bind(endpoint, new MetricsService(endpoint.uri(), missing, metrics));
    }

    private void bindStaticResources() {
        config.staticResources()
                .forEach(files -> bindings.add(
                        Binding.prefix(new StaticResources(files, directory(files)), files.where(), false)));
    }

    private Path directory(StaticResourceConfig files) {
        if (!files.embedded()) {
            return files.directory();
        }
        var folder = EmbeddedFolder.open(files.what()).orElseThrow();
        opened.push(folder::close);
        return folder.directory();
    }

    private void bindProxies() {
        var credentials = new ProxyService.Credentials(
                security.credentialHeaders(),
                Set.of(config.security().tokens().cookie().name()));
        var clients = config.security().guards().clientAddress();
        Predicate<Connection> trusts =
                connection -> clients.trusts(connection.peer().getAddress());
        for (var proxy : config.proxies()) {
            var service = new ProxyService(proxy, config.core(), credentials, trusts);
            opened.push(service::close);
            bindings.add(Binding.prefix(service, proxy.location(), true));
        }
    }

    /// An endpoint of a plugin replaces another service only where the plugin's block names it.
    private void bindPlugins() {
        for (var added : plugins.bindings()) {
            bindings.removeIf(other -> added.isRival(other) && Plugins.isReplaced(other, added));
            bindings.stream().filter(added::isRival).findFirst().ifPresent(rival -> {
                throw new StartException(
                        "the plugin " + added.service().name() + " and "
                                + rival.service().name() + " are both bound to " + added.uri()
                                + ": change the key uri of one of them, switch one off by its key enabled, or say"
                                + " /" + added.service().name() + "/replaces: "
                                + rival.service().name(),
                        new IllegalStateException());
            });
            bindings.add(added);
        }
        plugins.warnOfMissing(bindings);
    }

    private void bindHealth(Optional<DatabaseProbe> probe) {
        if (config.health().enabled()) {
            bindings.addAll(health(config.health().uri(), config.health().secured()));
        }
        probe.ifPresent(service -> bind(config.databaseProbe().endpoint(), service));
    }

    private List<Binding> health(String uri, boolean secured) {
        return List.of(
                Binding.prefix(new HealthService(Check.LIVE, health), uri + "/live", secured),
                Binding.prefix(new HealthService(Check.READY, health), uri + "/ready", secured));
    }

    private DatabaseProbe databaseProbe(MongoClient client) {
        var probe = config.databaseProbe();
        return new DatabaseProbe(
                client,
                probe.database(),
                probe.timeout(),
                () -> stopping,
                config.security().guards().clientAddress());
    }

    private Management openManagement(Metrics metrics, Optional<DatabaseProbe> probe) {
        var ping = config.ping();
        var services = new ArrayList<>(health("/health", false));
        probe.ifPresent(service -> services.add(Binding.prefix(service, "/health/db", false)));
        services.add(
                Binding.prefix(new PingService(ping.message(), ping.extended(), BuildInfo.load()), "/ping", false));
        var missing = config.metrics().missingRegistryStatus();
        services.add(Binding.prefix(new MetricsService("/metrics", missing, metrics), "/metrics", false));
        services.add(Binding.prefix(_ -> Response.status(404), "/", false));
        var opened = Management.start(config, services);
        this.opened.push(opened::close);
        return opened;
    }

    private void bind(Endpoint endpoint, Service service) {
        if (endpoint.enabled()) {
            bindings.add(Binding.of(service, endpoint));
        }
    }

    /// To be called after the warm-up (`core.warm-up-seconds`): from then on readiness probes succeed.
    void warmedUp() {
        health.ready();
    }

    /// The address of the first listener.
    public InetSocketAddress address() {
        return listener.address();
    }

    /// The address of `management-listener`, if there is one.
    public Optional<InetSocketAddress> managementAddress() {
        return management.map(Management::address);
    }

    public boolean foundDefaultPassword() {
        return security.foundDefaultPassword();
    }

    public CompletableFuture<String> firstAccount() {
        return security.firstAccount();
    }

    /// Announces the stop to readiness probes and clients and continues serving for the grace period.
    public void announceStop() {
        stopping = true;
        health.stopping();
        listener.announceStop(config.core().gracePeriod());
    }

    /// Takes over what can change while requests are served: the certificate, accounts and permissions of files, rate
    /// limits. Credentials for MongoDB apart, which may work later: [#renewCredentials].
    ///
    /// @throws org.restheart.core.server.StartException if it cannot be used; the one before is kept
    public void reload(GatewayConfig changed) {
        changed.https().keys().ifPresent(listener::useCertificate);
        security.reload(changed.security());
        limits.ifPresent(limited -> changed.rateLimits().ifPresent(limited::replace));
    }

    /// Takes over the credentials for MongoDB alone, if nothing else of the connection string has changed. This and
    /// [#isConnectedBy] are called by one thread at a time.
    ///
    /// @return whether they have changed
    /// @throws org.restheart.core.server.StartException if MongoDB does not accept them, or does not answer
    boolean renewCredentials(GatewayConfig changed) {
        if (!changed.mclient().differsInCredentials(mclient)) {
            return false;
        }
        MongoConnection.renew(connections, changed);
        mclient = changed.mclient();
        return true;
    }

    /// Whether the connections to MongoDB are as this connection string says.
    boolean isConnectedBy(MclientConfig other) {
        return mclient.connectionString().equals(other.connectionString());
    }

    void reloaded(boolean done) {
        metrics.reloaded(done);
    }

    /// Stops; returns when everything is closed. Requests in flight have the configured time to complete.
    @Override
    public void close() {
        health.stopping();
        opened.close();
    }

    /// Closes resources in reverse order, each once, even if closing another fails. Thread-safe.
    static final class ClosingOrder implements AutoCloseable {
        private final ConcurrentLinkedDeque<Runnable> parts = new ConcurrentLinkedDeque<>();

        void push(Runnable part) {
            parts.push(part);
        }

        @Override
        public void close() {
            var part = parts.poll();
            if (part != null) {
                try {
                    part.run();
                } finally {
                    close();
                }
            }
        }
    }

    /// `management-listener`: metrics and probes on a port of their own, without accounts, so that they
    /// answer while MongoDB is away, and before and after the other listeners do. Close it last.
    private static final class Management implements AutoCloseable {
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
        /// @param loopback whether requests must name this machine: other names that lead here are those of
        ///     pages in a browser on it (DNS rebinding)
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

    /// Adds the page for browsers at `/`: requests of other clients go to the service that is bound there.
    static final class Home {
        private Home() {}

        /// The routes, with the page at `/` and its icon. A service of the operator's at `/favicon.ico`
        /// is left alone.
        static List<Route> of(GatewayConfig config, List<Route> routes, Function<Binding, Route> assemble) {
            var page = assemble.apply(exact(
                    new HomePage(
                            config.core().name(), BuildInfo.load().version(), config.uri("console"), places(config)),
                    "/"));
            var all = new ArrayList<Route>();
            routes.forEach(route -> all.add(route.binding().uri().equals("/") ? before(route, page) : route));
            if (all.stream().noneMatch(route -> route.binding().uri().equals("/"))) {
                all.add(page);
            }
            if (all.stream().noneMatch(route -> route.binding().uri().equals("/favicon.ico"))) {
                all.add(assemble.apply(exact(new HomePage.Icon(), "/favicon.ico")));
            }
            return all;
        }

        private static Binding exact(Service service, String uri) {
            return new Binding(service, uri, Match.EXACT, false, List.of());
        }

        private static Route before(Route route, Route page) {
            return new Route(
                    route.binding(),
                    request ->
                            (HomePage.isAsked(request) ? page : route).chain().handle(request),
                    route.judged());
        }

        /// The services that the page names to callers with an account, by path.
        private static Map<String, String> places(GatewayConfig config) {
            var places = new LinkedHashMap<String, String>();
            config.uri("mongo").ifPresent(uri -> places.put(uri.equals("/") ? "/?page=1" : uri, "the data, as JSON"));
            config.uri("openApi").ifPresent(uri -> places.put(uri, "the API as you may use it, as OpenAPI"));
            config.uri("access").ifPresent(uri -> places.put(uri, "what you may do with which collections"));
            config.uri("metrics").ifPresent(uri -> places.put(uri, "metrics"));
            config.uri("database-probe").ifPresent(uri -> places.put(uri, "whether MongoDB answers"));
            config.uri("mcp").ifPresent(uri -> places.put(uri, "the Model Context Protocol, for assistants"));
            return places;
        }
    }
}
