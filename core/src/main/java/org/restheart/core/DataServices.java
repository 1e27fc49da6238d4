package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.filter.OffServices;
import org.restheart.core.filter.PreferFilter;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.metrics.Metrics.Part;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.data.Operation.Structure;
import org.restheart.http.Filter;
import org.restheart.http.Guard;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Service;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.module.LogIns;
import org.restheart.http.module.SubscriptionObserver;
import org.restheart.http.push.PushBudget;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.DefinitionStore;
import org.restheart.rest.MongoConfig;
import org.restheart.rest.MongoService;
import org.restheart.rest.changestream.ChangeStreams;
import org.restheart.rest.importing.ImportConfig;
import org.restheart.rest.importing.ImportService;
import org.restheart.rest.service.CacheInvalidator;
import org.restheart.rest.service.CsvLoader;
import org.restheart.rest.session.TransactionsService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The services over MongoDB's data, and their bindings. Used once, while the gateway starts.
final class DataServices {
    private static final Logger LOG = LoggerFactory.getLogger(DataServices.class);

    private final GatewayConfig config;
    private final MongoConfig mongo;
    private final MongoClient client;
    private final GatewayParts parts;
    private final Security security;
    private final InProcessRequests judgedRequests;
    private final List<Binding> bindings = new ArrayList<>();

    /// The parts of the gateway that its services share.
    record GatewayParts(
            Gateway.ClosingOrder opened,
            List<MongoConnection> connections,
            BackgroundTasks tasks,
            Metrics metrics,
            Observer observer,
            MemoryBudget memory) {}

    DataServices(
            GatewayConfig config,
            MongoClient client,
            GatewayParts parts,
            Security security,
            InProcessRequests judgedRequests) {
        this.config = config;
        this.mongo = config.mongo().orElseThrow();
        this.client = client;
        this.parts = parts;
        this.security = security;
        this.judgedRequests = judgedRequests;
    }

    /// Starts the services, those of modules too.
    ///
    /// @return their bindings
    List<Binding> open(Modules modules) {
        var streams = openStreams();
        var data = openData(streams);
        offer(modules, data, streams);
        var ofModules = modules.install(true);
        var innerFilters = new ArrayList<Filter>();
        innerFilters.add(new HiddenNames(data, client).ofCreations(this::hiding));
        innerFilters.add(OffServices.of(config));
        int preferring = innerFilters.size();
        innerFilters.add(new PreferFilter(judgedRequests, Optional.of(data.transactions())));
        var guards = security.guards().all(data.forbiddenOperators(), path -> unreachable(data, path));
        guards.addAll(modules.guards());
        innerFilters.add(Guard.all(guards));
        bindings.add(Binding.prefix(data, mongo.uri(), true).behind(innerFilters));
        bind(config.cacheInvalidator(), new CacheInvalidator(data.metadata(), data.descriptions()));
        if (config.csvLoader().enabled()) {
            var loader = new CsvLoader(client, data.metadata(), data.schemas(), data.forbiddenOperators());
            var ofLoader = new ArrayList<>(innerFilters);
            ofLoader.set(preferring, new PreferFilter(judgedRequests, Optional.empty()));
            bindings.add(Binding.of(loader, config.csvLoader()).behind(ofLoader));
        }
        bindings.addAll(ofModules);
        config.imports().ifPresent(this::bindImports);
        bindings.add(Binding.prefix(
                new TransactionsService(data.transactions(), judgedRequests),
                TransactionsService.uri(mongo.uri()),
                false));
        warnOfHiddenNames(data);
        warnOfUnknownName();
        return bindings;
    }

    /// Adds the parts that modules find.
    private void offer(Modules modules, MongoService data, ChangeStreams streams) {
        modules.add(MongoConfig.class, mongo);
        modules.add(MongoService.class, data);
        modules.add(DataPaths.class, data.paths());
        modules.add(DataCatalog.class, data.catalog());
        modules.add(PushBudget.class, streams.budget());
        security.sessions().ifPresent(sessions -> modules.add(LogIns.class, sessions));
        modules.add(ChangeStreams.class, streams);
        modules.add(MemoryBudget.class, parts.memory());
        modules.add(DefinitionStore.class, new DefinitionStore(parts.tasks(), client));
        modules.add(SubscriptionObserver.class, parts.observer()::subscriptionEnded);
    }

    private ChangeStreams openStreams() {
        var streams = new ChangeStreams(
                parts.tasks(),
                connectForStreams(),
                mongo.streams(),
                parts.metrics().of(Part.STREAMS),
                security);
        security.watchCredentials(streams::credentialsChanged);
        parts.opened().push(streams::close);
        return streams;
    }

    private MongoService openData(ChangeStreams streams) {
        var service = new MongoService(
                parts.tasks(),
                mongo,
                client,
                parts.memory(),
                streams,
                parts.metrics().of(Part.COALESCING),
                judgedRequests);
        parts.opened().push(service::close);
        service.metadata().meter().ifPresent(parts.metrics()::watch);
        parts.metrics().watch(service.schemas().meter());
        return service;
    }

    /// Why no request for data that its author means has a path, or one below it.
    private Optional<String> unreachable(MongoService data, List<String> path) {
        return judgedRequests.isServedElsewhere(path) ? Optional.empty() : data.unreachable(path);
    }

    private void warnOfHiddenNames(MongoService data) {
        var hiding = hiding();
        if (!hiding.isEmpty()) {
            parts.tasks().start("hidden-names", () -> new HiddenNames(data, client).warn(hiding));
        }
    }

    /// The bindings of services whose paths may be names of data, too.
    private List<Binding> hiding() {
        var uris = Stream.of("mcp", "dataApi")
                .flatMap(block -> config.uri(block).stream())
                .toList();
        return bindings.stream().filter(binding -> uris.contains(binding.uri())).toList();
    }

    private MongoClient connectForStreams() {
        var streams = mongo.streams();
        if (!streams.enabled()) {
            return client;
        }
        var connection = MongoConnection.openForStreams(config, streams.maxCursors());
        parts.opened().push(connection::close);
        parts.connections().add(connection);
        return connection.client();
    }

    private void bindImports(ImportConfig imports) {
        var service = new ImportService(
                imports, client, parts.tasks(), judgedRequests, security.importOwners(), security::challenge);
        bindings.add(Binding.prefix(service, imports.uri(), false));
    }

    private void warnOfUnknownName() {
        boolean isKnown = config.security()
                .oauth()
                .modelContext()
                .filter(endpoint -> endpoint.resource().base().configured().isPresent())
                .isPresent();
        if (!isKnown && !config.isLocal() && config.uri("mcp").isPresent()) {
            LOG.warn("mcp: set base-url to the URL by which clients know this server: without it, tokens that name"
                    + " an endpoint (aud) are accepted by the server's own addresses only");
        }
    }

    private void bind(Endpoint endpoint, Service service) {
        if (endpoint.enabled()) {
            bindings.add(Binding.of(service, endpoint));
        }
    }

    /// Warns of databases and collections that cannot be reached at their paths, since services are bound
    /// to these. Thread-safe.
    record HiddenNames(MongoService data, MongoClient client) {
        private static final Logger LOG = LoggerFactory.getLogger(HiddenNames.class);

        /// Warns of those that exist. Blocks for MongoDB.
        void warn(List<Binding> bindings) {
            try {
                for (var binding : bindings) {
                    var names = data.namesAt(binding.uri());
                    if (exist(names)) {
                        warn(binding, names);
                    }
                }
            } catch (MongoException | IllegalStateException e) { // MongoDB is away, or the server stops
                LOG.debug("whether services hide databases or collections is not known", e);
            }
        }

        private static void warn(Binding binding, List<String> names) {
            LOG.warn(
                    "{} belongs to the service {}, so that {} cannot be reached there: another uri of the service helps",
                    binding.uri(),
                    binding.service().name(),
                    (names.size() == 1 ? "the database " : "the collection ") + String.join(".", names));
        }

        /// Warns when a request creates one, which it can through another mount.
        Filter ofCreations(Supplier<List<Binding>> bindings) {
            return (request, next) -> {
                var creation =
                        request.attribute(DataTarget.KEY).filter(target -> target.operation() == Structure.CREATE);
                var response = next.handle(request);
                return creation.isEmpty()
                        ? response
                        : response.map(ready -> {
                            if (ready.status() == 201) {
                                created(creation.get(), bindings.get());
                            }
                            return ready;
                        });
            };
        }

        private void created(DataTarget target, List<Binding> bindings) {
            var names = Stream.concat(target.db().stream(), target.collection().stream())
                    .toList();
            bindings.stream()
                    .filter(binding -> data.namesAt(binding.uri()).equals(names))
                    .forEach(binding -> warn(binding, names));
        }

        private boolean exist(List<String> names) {
            return switch (names.size()) {
                case 1 -> client.listDatabaseNames().into(new ArrayList<>()).contains(names.getFirst());
                case 2 ->
                    client.getDatabase(names.getFirst())
                                    .listCollectionNames()
                                    .filter(Filters.eq("name", names.getLast()))
                                    .first()
                            != null;
                default -> false;
            };
        }
    }
}
