package org.restheart.mongo;

import static org.restheart.http.ProblemCode.NOTHING_BOUND;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.Connection;
import org.restheart.http.Cors;
import org.restheart.http.ErrorStyle;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.changestream.OpenStream;
import org.restheart.mongo.changestream.StandingRights;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.cursor.PositionedFinder;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.file.Files;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.SessionFinder;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.management.Catalog;
import org.restheart.mongo.management.PropertyWarnings;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.ParameterSettings;
import org.restheart.mongo.parameter.Warnings;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.resource.IdSpelling;
import org.restheart.mongo.resource.Mounts;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.resource.UriSpace;
import org.restheart.mongo.resultcache.CachedFinder;
import org.restheart.mongo.resultcache.Writes;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.session.SessionHandlers;
import org.restheart.mongo.session.Sessions;
import org.restheart.mongo.validator.CollectionValidator;
import org.restheart.mongo.validator.Validators;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.StoredProperties;

/// The data API: everything below the mounts. Thread-safe.
public final class MongoService implements Service, AutoCloseable {
    /// In bytes. Parsing more would delay other connections.
    private static final int LARGEST_ON_IO_THREAD = 32 << 10;

    private final ParameterSettings parameterSettings;
    private final Mounts mounts;
    private final Metadata metadata;
    private final PositionedFinder positioned;
    private final Schemas schemas;
    private final RequestDispatcher dispatcher;
    private final Writes writes = new Writes();
    private final ForbiddenOperators forbiddenOperators;
    private final DocumentReads reads;
    private final Descriptions descriptions;
    private final Catalog catalog;

    /// @param tasks closed by the caller, after this
    /// @param registry takes the meters of the data API
    public MongoService(BackgroundTasks tasks, MongoConfig config, MongoClient client, MeterRegistry registry) {
        this(
                tasks,
                config,
                client,
                new ChangeStreams(tasks, client, config.streams(), registry, StandingRights.FOR_EVER),
                registry,
                (_, _) -> Response.status(204));
    }

    /// @param streams of the same deployment; a separate client, so that streams do not use the connections of requests
    /// @param registry takes the meters of coalescing
    /// @param judged requests of callers, to this service among others
    public MongoService(
            BackgroundTasks tasks,
            MongoConfig config,
            MongoClient client,
            ChangeStreams streams,
            MeterRegistry registry,
            JudgedRequests judged) {
        this.parameterSettings = config.parameterSettings();
        this.mounts = new Mounts(config.uri(), config.mounts());
        this.metadata = new Metadata(client, config.metadataTtl());
        this.forbiddenOperators = new ForbiddenOperators(config.querySecurity());
        this.schemas = new Schemas(client, config.schemaTtl(), mounts::mayShow);
        var sessions = new Sessions(client);
        var routes = new MongoRoutes();
        var coalescer = new Coalescer(client, config.coalescing(), registry);
        var documents = new Documents(client);
        this.positioned = new PositionedFinder(tasks, client, documents, config.cursorPool(), registry);
        var finder = new SessionFinder(documents, new CachedFinder(positioned, config.resultCache(), writes, registry));
        var continuations = new Continuations(client, documents, registry);
        var inspection = new PipelineInspection(
                config.querySecurity(),
                (db, name) -> metadata.collection(db, name).sources());
        this.catalog = new Catalog(client);
        var access = new SchemaAccess(judged, mounts);
        var validators = new Validators(tasks, client, schemas, mounts);
        var reading = new ReadRoutes(routes, config, finder, documents, continuations);
        reading.addDocuments(coalescer);
        reading.addViolations(schemas, access);
        reading.addDownloads(client);
        reading.addAggregations(inspection, writes);
        reading.addCatalog(catalog, metadata);
        this.reads = new DocumentReads(documents, coalescer, metadata, forbiddenOperators, inspection);
        this.descriptions = new Descriptions(client, mounts, reads, config.metadataTtl());
        metadata.onChange(streams::changed);
        metadata.followChanges(tasks, mounts.databases());
        routes.on(
                ResourceKind.CHANGE_STREAM,
                Method.GET,
                new OpenStream(
                        streams, config.streams(), inspection, config.interpolation(), parameterSettings.strict()));
        addTo(routes, new SessionHandlers(sessions, config.instanceBaseUrl()));
        addTo(routes, new CollectionValidator(validators, schemas, access));
        var collections = new Collections(client);
        var preconditions = new Preconditions(metadata, config.etagPolicies());
        var writing = new WriteRoutes(
                routes, collections, validators, preconditions, new Locations(config.instanceBaseUrl()));
        writing.addDocuments(coalescer, config);
        writing.addFiles();
        writing.addStructure(
                new StoredProperties(collections, metadata, preconditions),
                new StreamDefinitions(config.streams()),
                access);
        routes.requireAll();
        this.dispatcher = new RequestDispatcher(
                parameterSettings,
                forbiddenOperators,
                new Existence(metadata, config.querySecurity()),
                sessions,
                routes,
                schemas,
                descriptions,
                writes);
    }

    private static void addTo(MongoRoutes routes, CollectionValidator validator) {
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.GET, validator::get);
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.PUT, validator::put);
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.DELETE, validator::delete);
    }

    private static void addTo(MongoRoutes routes, SessionHandlers handlers) {
        routes.on(ResourceKind.SESSIONS, Method.POST, handlers::create);
        routes.on(ResourceKind.SESSION, Method.DELETE, handlers::delete);
        routes.on(ResourceKind.TRANSACTIONS, Method.GET, handlers::status);
        routes.on(ResourceKind.TRANSACTIONS, Method.POST, handlers::begin);
        routes.on(ResourceKind.TRANSACTION, Method.PATCH, handlers::commit);
        routes.on(ResourceKind.TRANSACTION, Method.DELETE, handlers::abort);
    }

    /// The cached metadata of databases and collections, for services that change them in other ways.
    public Metadata metadata() {
        return metadata;
    }

    /// The forbidden operators, for services that take filters in other ways.
    public ForbiddenOperators forbiddenOperators() {
        return forbiddenOperators;
    }

    /// The path of a collection for clients; empty if there is none.
    public Optional<RequestPath> pathOf(MongoNamespace namespace) {
        return mounts.pathOf(namespace.getDatabaseName(), namespace.getCollectionName());
    }

    /// The reads of services other than the data API.
    public DocumentReads reads() {
        return reads;
    }

    /// What is in MongoDB, for services that describe it.
    public Descriptions descriptions() {
        return descriptions;
    }

    /// The paths of MongoDB's resources.
    public DataPaths paths() {
        return new DataPaths() {
            @Override
            public Optional<String> ofCollection(Connection connection, String database, String collection) {
                return mounts.pathOf(connection, database, collection);
            }

            @Override
            public Optional<String> ofId(BsonValue id) {
                return IdSpelling.of(id);
            }
        };
    }

    /// What there is in MongoDB, for services that list what their callers may see.
    public DataCatalog catalog() {
        return catalog;
    }

    /// The rules of documents, for services that write them in other ways.
    public Schemas schemas() {
        return schemas;
    }

    /// The observer of writes, for services that change documents in other ways.
    public Writes writes() {
        return writes;
    }

    /// Closes cursors and streams that are open in MongoDB between requests.
    @Override
    public void close() {
        positioned.close();
        schemas.close();
    }

    @Override
    public String name() {
        return "mongo";
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.STATUS;
    }

    /// Requests that can be coalesced need no thread of their own; others call [Request#requireThread()] when
    /// they have to block.
    @Override
    public boolean startsOnIoThread(Request request) {
        return switch (request.method()) {
            case GET -> true;
            case POST, PUT, PATCH, DELETE -> request.body().length() <= LARGEST_ON_IO_THREAD;
            case HEAD, OPTIONS -> false;
        };
    }

    @Override
    public boolean answersJudgedRequests() {
        return true;
    }

    @Override
    public boolean streamsContent(Request request) {
        return DataContent.isMany(request) || isUpload(request);
    }

    private boolean isUpload(Request request) {
        try {
            return mounts.resolve(request.path(), request.connection())
                    .filter(located -> Files.isUpload(request, located.path().kind()))
                    .isPresent();
        } catch (ProblemException _) { // thrown again when it is prepared
            return false;
        }
    }

    @Override
    public Request prepare(Request request) {
        var located = mounts.resolve(request.path(), request.connection())
                .orElseThrow(() -> Problem.of(
                                NOTHING_BOUND,
                                "No MongoDB resource bound for "
                                        + request.path().decoded())
                        .raise());
        var path = located.path();
        var content = Files.metadata(request, path.kind())
                .orElseGet(() -> DataContent.isMany(request)
                        ? RequestContent.arriving(() -> DataContent.parse(request))
                        : new RequestContent(() -> DataContent.parse(request)));
        return request.with(request.attributes()
                .with(ResourcePath.KEY, path)
                .with(UriSpace.KEY, located.space())
                .with(DataTarget.KEY, DataTargets.of(request, path))
                .with(RequestContent.KEY, content));
    }

    @Override
    public Cors cors(Request request) {
        return request.attribute(ResourcePath.KEY)
                .map(path -> keyed(request, ResourceMethods.cors(path.kind(), request.method())))
                .orElseGet(() -> ResourceMethods.cors(ResourceKind.INVALID, request.method()));
    }

    /// Allows scripts to send the header `Idempotency-Key`.
    private static Cors keyed(Request request, Cors cors) {
        boolean asks = request.method() == Method.OPTIONS
                && cors.allowMethods().contains("POST")
                && request.headers()
                        .first("Access-Control-Request-Headers")
                        .filter(names -> names.toLowerCase(Locale.ROOT).contains("idempotency-key"))
                        .isPresent();
        return asks
                ? new Cors(cors.allowMethods(), cors.allowHeaders() + ", Idempotency-Key", cors.exposeHeaders())
                : cors;
    }

    @Override
    public boolean answersHead() {
        return true;
    }

    @Override
    public Response handle(Request sent) {
        var request = answerable(sent);
        var warnings = Warnings.of(request, parameterSettings);
        if (warnings.isEmpty()) {
            return warned(request, dispatcher.dispatch(request));
        }
        try {
            return dispatcher.dispatch(request.with(Warnings.KEY, warnings)).map(response -> {
                var all = new ArrayList<>(warnings);
                all.addAll(PropertyWarnings.of(request));
                return WarningsBody.add(request, response, all);
            });
        } catch (ProblemException e) {
            var problem = e.problem().withWarnings(warnings);
            for (var warning : warnings) {
                problem = problem.with(Fields.of("Warning", Warnings.line(warning)));
            }
            throw problem.raise();
        }
    }

    private static Response warned(Request request, Response response) {
        return request.method() == Method.PUT || request.method() == Method.PATCH
                ? response.map(written -> {
                    var warnings = PropertyWarnings.of(request);
                    return warnings.isEmpty() ? written : WarningsBody.add(request, written, warnings);
                })
                : response;
    }

    /// `HEAD` is a `GET` whose content is not sent (RFC 9110, 9.3.2). Files are answered separately, without
    /// their chunks; a stream without content has no use.
    private static Request answerable(Request sent) {
        boolean translated = sent.method() == Method.HEAD
                && switch (sent.require(ResourcePath.KEY).kind()) {
                    case FILE_BINARY, CHANGE_STREAM -> false;
                    default -> true;
                };
        return translated ? sent.with(Method.GET) : sent;
    }
}
