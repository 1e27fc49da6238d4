package org.restheart.core;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityStores.SessionsConfig;
import org.restheart.core.filter.OffServices;
import org.restheart.core.filter.PreferFilter;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.metrics.Metrics.Part;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.service.BuildInfo;
import org.restheart.data.Operation.Structure;
import org.restheart.dataapi.DataApiConfig;
import org.restheart.dataapi.DataApiService;
import org.restheart.dataapi.LogInService;
import org.restheart.dataapi.LogIns;
import org.restheart.dataapi.SessionService;
import org.restheart.graphql.GraphqlConfig;
import org.restheart.graphql.GraphqlService;
import org.restheart.graphql.SourceAccess;
import org.restheart.http.Filter;
import org.restheart.http.Guard;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.push.PushBudget;
import org.restheart.mcp.McpConfig;
import org.restheart.mcp.McpService;
import org.restheart.mcp.PresentedCredential;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.MongoService;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.importing.ImportConfig;
import org.restheart.mongo.importing.ImportService;
import org.restheart.mongo.service.CacheInvalidator;
import org.restheart.mongo.service.CsvLoader;
import org.restheart.mongo.session.TransactionsService;
import org.restheart.security.Credentials;
import org.restheart.security.token.RenewableSessions;
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
    ///
    /// @param opened receives what has to be closed
    /// @param connections receives those to MongoDB
    /// @param memory of what is read and sent
    record GatewayParts(
            Gateway.ClosingOrder opened,
            List<MongoConnection> connections,
            BackgroundTasks tasks,
            Metrics metrics,
            Observer observer,
            MemoryBudget memory) {}

    /// @param config has a section `mongo`
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
        var innerFilters = new ArrayList<Filter>();
        innerFilters.add(new HiddenNames(data, client).ofCreations(this::hiding));
        innerFilters.add(OffServices.of(config));
        int preferring = innerFilters.size();
        innerFilters.add(new PreferFilter(judgedRequests, Optional.of(data.transactions())));
        var guards = security.guards().all(data.forbiddenOperators(), path -> unreachable(data, path));
        config.graphql().ifPresent(graphql -> guards.add(bindGraphql(graphql, data, streams)));
        innerFilters.add(Guard.all(guards));
        bindings.add(Binding.prefix(data, mongo.uri(), true).behind(innerFilters));
        bind(config.cacheInvalidator(), new CacheInvalidator(data.metadata(), data.descriptions()));
        if (config.csvLoader().enabled()) {
            var loader = new CsvLoader(client, data.metadata(), data.schemas(), data.forbiddenOperators());
            var ofLoader = new ArrayList<>(innerFilters);
            ofLoader.set(preferring, new PreferFilter(judgedRequests, Optional.empty()));
            bindings.add(Binding.of(loader, config.csvLoader()).behind(ofLoader));
        }
        // Not secured as paths: what these services do is authorized as requests of the REST API, and what they tell
        // callers is their own permissions.
        config.dataApi().ifPresent(api -> bindDataApi(api, data));
        config.mcp().ifPresent(mcp -> bindMcp(mcp, data, streams));
        modules.add(MongoConfig.class, mongo);
        modules.add(MongoService.class, data);
        bindings.addAll(modules.install(true));
        config.imports().ifPresent(this::bindImports);
        bindings.add(Binding.prefix(
                new TransactionsService(data.transactions(), judgedRequests),
                TransactionsService.uri(mongo.uri()),
                false));
        warnOfHiddenNames(data);
        return bindings;
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
        return bindings.stream()
                .filter(binding ->
                        binding.service() instanceof McpService || binding.service() instanceof DataApiService)
                .toList();
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

    private void bindDataApi(DataApiConfig api, MongoService data) {
        var actions = new DataApiService(
                api, judgedRequests, data.paths(), parts.metrics().of(Part.DATA_API));
        bindings.add(Binding.prefix(actions, actions.uri(), false));
        security.sessions().ifPresent(sessions -> {
            var logIns = new DataApiLogIns(
                    sessions,
                    config.security().accountsRealm().component(),
                    config.security().sessions().flatMap(SessionsConfig::anonymous));
            bindings.add(Binding.prefix(new LogInService(api, logIns), LogInService.URI, false));
            bindings.add(Binding.prefix(new SessionService(api, logIns), SessionService.URI, false));
        });
    }

    private void bindImports(ImportConfig imports) {
        var service = new ImportService(
                imports, client, parts.tasks(), judgedRequests, security.importOwners(), security::challenge);
        bindings.add(Binding.prefix(service, imports.uri(), false));
    }

    private void bindMcp(McpConfig mcp, MongoService data, ChangeStreams streams) {
        warnOfUnknownName(mcp);
        var service = new McpService(
                mcp,
                judgedRequests,
                data.paths(),
                data.catalog(),
                mcpDependencies(streams.budget()),
                parts.metrics().of(Part.MCP));
        bindings.add(Binding.prefix(service, mcp.uri(), false));
    }

    private void warnOfUnknownName(McpConfig mcp) {
        boolean isKnown = config.security()
                .oauth()
                .modelContext()
                .filter(endpoint -> endpoint.resource().base().configured().isPresent())
                .isPresent();
        if (!isKnown && !mcp.loopback()) {
            LOG.warn("mcp: set base-url to the URL by which clients know this server: without it, tokens that name"
                    + " an endpoint (aud) are accepted by the server's own addresses only");
        }
    }

    /// @param pushed the budget of messages that clients have not received
    private McpService.Dependencies mcpDependencies(PushBudget pushed) {
        return new McpService.Dependencies(
                config.security()
                        .oauth()
                        .modelContext()
                        .orElseThrow()
                        .resource()
                        .base()::of,
                this::presented,
                security::challenges,
                judgedRequests,
                pushed,
                new SecretKeySpec(security.key("model context protocol"), "HmacSHA256"),
                security::useUp,
                security.guards().collections(),
                BuildInfo.load().version());
    }

    /// The credential of a caller.
    private PresentedCredential presented(Request request) {
        var credentials = request.attribute(Credentials.KEY);
        var source = credentials.map(Credentials::source).orElse("");
        var handle = credentials.flatMap(Credentials::apiKey);
        var caller = config.security().guards().clientAddress().caller(request);
        return new PresentedCredential(
                source + "/" + handle.orElse("") + "/" + caller,
                caller,
                credentials.map(Credentials::scopes).filter(scopes -> !scopes.isEmpty()),
                handle);
    }

    /// @return the guard of app definitions
    private Guard bindGraphql(GraphqlConfig graphql, MongoService data, ChangeStreams listeners) {
        var streams = mongo.streams();
        var access = new SourceAccess(
                data::pathOf,
                judgedRequests,
                security.guards().secrets(),
                config.security().reserved());
        var bounds = new GraphqlService.PushBounds(
                streams.keepAlive(),
                streams.maxListeners(),
                streams.maxWaitingMessages(),
                streams.maxWaitingBytes(),
                listeners.budget(),
                listeners.authorizations());
        var apps = new GraphqlService(
                graphql,
                changed -> new CollectionChanges(
                        parts.tasks(), client, graphql.definitions().getCollectionName(), "GraphQL apps", changed),
                data.reads(),
                parts.memory(),
                access,
                bounds,
                parts.observer()::subscriptionEnded);
        parts.opened().push(apps::close);
        parts.metrics().watch(apps.meter());
        if (graphql.indexed()) {
            DefinitionIndexes.create(parts.tasks(), client, graphql.definitions());
        }
        bindings.add(Binding.prefix(apps, graphql.uri(), true));
        return apps.guard();
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
        ///
        /// @param bindings of services
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

    /// The indexes of the collection of GraphQL apps: the paths of apps are unique, also among servers
    /// that write at the same time.
    static final class DefinitionIndexes {
        private static final Logger LOG = LoggerFactory.getLogger(DefinitionIndexes.class);
        private static final Duration RETRY = Duration.ofSeconds(5);
        private static final BsonDocument PATHS = new BsonDocument("descriptor.uri", new BsonInt32(1));

        /// Earlier releases identified apps by name.
        private static final BsonDocument NAMES = new BsonDocument("descriptor.name", new BsonInt32(1));

        private DefinitionIndexes() {}

        /// Creates the index in the background, once MongoDB is reachable.
        static void create(BackgroundTasks tasks, MongoClient client, MongoNamespace definitions) {
            var collection = client.getDatabase(definitions.getDatabaseName())
                    .getCollection(definitions.getCollectionName(), BsonDocument.class);
            tasks.start("graphql-indexes", () -> {
                while (tasks.isRunning() && !created(collection)) {
                    tasks.pause(RETRY);
                }
            });
        }

        /// @return false to try again
        private static boolean created(MongoCollection<BsonDocument> collection) {
            try {
                collection.createIndex(PATHS, new IndexOptions().unique(true).sparse(true));
                for (var index : collection.listIndexes(BsonDocument.class)) {
                    if (NAMES.equals(index.get("key"))) {
                        collection.dropIndex(index.getString("name").getValue());
                    }
                }
                return true;
            } catch (MongoCommandException e) { // such as definitions that collide already
                LOG.warn(
                        "The index on descriptor.uri of {} could not be created: {}",
                        collection.getNamespace(),
                        e.getErrorMessage());
                return true;
            } catch (MongoException e) {
                LOG.debug("the index on descriptor.uri could not be created yet", e);
                return false;
            }
        }
    }

    /// Sessions for the service of the Atlas Data API.
    ///
    /// @param realm of the anonymous account
    /// @param anonymous the account of clients that have none
    record DataApiLogIns(RenewableSessions sessions, String realm, Optional<String> anonymous) implements LogIns {
        @Override
        public Optional<Session> begin(Request request, Provider provider) {
            var credentials = request.attribute(Credentials.KEY);
            var account = request.caller().account();
            return credentials.isPresent() && account.isPresent() && isOf(provider, credentials.get(), account.get())
                    ? Optional.of(shown(sessions.begin(request, account.get(), credentials.get())))
                    : Optional.empty();
        }

        /// A mechanism may take one kind of credentials in place of another. A token that was issued for a
        /// scope is not exchanged for one without.
        private static boolean isOf(Provider provider, Credentials credentials, Account account) {
            return switch (provider) {
                case PASSWORD -> credentials.token().isEmpty();
                case API_KEY -> credentials.source().equals(Credentials.API_KEYS);
                case TOKEN ->
                    credentials.source().equals(Credentials.TOKENS)
                            && !account.claims().containsKey("scope");
            };
        }

        @Override
        public Optional<Session> beginAnonymously(Request request) {
            return anonymous
                    .flatMap(name -> sessions.begin(request, realm, name))
                    .map(DataApiLogIns::shown);
        }

        private static Session shown(RenewableSessions.Begun begun) {
            return new Session(begun.accessToken(), begun.refreshToken(), begun.account());
        }

        @Override
        public Optional<String> renew(Request request) {
            var account = request.caller().account().orElseThrow();
            var credentials = request.require(Credentials.KEY);
            boolean isOver = credentials.isAnonymous()
                    && anonymous.filter(account.name()::equals).isEmpty();
            return isOver ? Optional.empty() : Optional.of(sessions.renew(account, credentials));
        }

        @Override
        public void end(Request request) {
            sessions.end(request.require(Credentials.KEY));
        }
    }
}
