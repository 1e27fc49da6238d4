package org.restheart.mongo;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.RequestChecks.DocumentRules;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.changestream.OpenStream;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.cursor.PositionedFinder;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.management.Catalog;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.resource.Mounts;
import org.restheart.mongo.resultcache.CachedFinder;
import org.restheart.mongo.resultcache.WriteCounters;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.session.SessionHandlers;
import org.restheart.mongo.session.Sessions;
import org.restheart.mongo.validator.CollectionValidator;
import org.restheart.mongo.validator.Validators;
import org.restheart.mongo.write.Preconditions;

/// The collaborators of the data API, constructed from its configuration. Thread-safe.
final class MongoParts implements AutoCloseable {
    final Parameters.Settings parameterSettings;
    final Mounts mounts;
    final Metadata metadata;
    final Schemas schemas;
    final WriteCounters writes = new WriteCounters();
    final ForbiddenOperators forbiddenOperators;
    final DocumentReads reads;
    final Descriptions descriptions;
    final Catalog catalog;
    final RequestDispatcher dispatcher;
    private final MongoClient client;
    private final SchemaAccess access;
    private final PositionedFinder positioned;

    MongoParts(
            BackgroundTasks tasks,
            MongoConfig config,
            MongoClient client,
            ChangeStreams streams,
            MeterRegistry registry,
            JudgedRequests judged) {
        this.client = client;
        this.parameterSettings = config.parameterSettings();
        this.mounts = new Mounts(config.uri(), config.mounts());
        this.metadata = new Metadata(client, config.metadataTtl());
        this.forbiddenOperators = new ForbiddenOperators(config.querySecurity());
        this.schemas = new Schemas(client, config.schemaTtl(), mounts::mayShow);
        this.access = new SchemaAccess(judged, mounts, schemas);
        this.catalog = new Catalog(client);
        var documents = new DriverFinder(client);
        var coalescer = new Coalescer(client, config.coalescing(), registry);
        var inspection = new PipelineInspection(
                config.querySecurity(),
                (db, name) -> metadata.collection(db, name).sources());
        this.positioned = new PositionedFinder(tasks, client, documents, config.cursorPool(), registry);
        this.reads = new DocumentReads(documents, coalescer, metadata, forbiddenOperators, inspection);
        this.descriptions = new Descriptions(client, catalog, mounts, reads, config.metadataTtl());
        metadata.onChange(streams::changed);
        metadata.followChanges(tasks, mounts.databases());

        var routes = new MongoRoutes();
        var finder = new CachedFinder(positioned, config.resultCache(), writes, registry).outsideSessions(documents);
        addReads(
                new ReadRoutes(routes, config, finder, documents, new Continuations(client, documents, registry)),
                coalescer,
                inspection);
        routes.on(
                ResourceKind.CHANGE_STREAM,
                Method.GET,
                new OpenStream(
                        streams, config.streams(), inspection, config.interpolation(), parameterSettings.strict()));
        var locations = new Locations(config.instanceBaseUrl());
        addWrites(
                routes,
                coalescer,
                new Validators(tasks, client, schemas, mounts, config.querySecurity()::withholds),
                locations,
                inspection,
                config,
                tasks);
        var sessions = new Sessions(client, config.sessions());
        add(routes, new SessionHandlers(sessions, locations));
        routes.requireAll();
        this.dispatcher = new RequestDispatcher(
                new RequestChecks(
                        parameterSettings,
                        forbiddenOperators,
                        new Existence(metadata, config.querySecurity()),
                        sessions,
                        new DocumentRules(schemas, access)),
                routes,
                new WriteInvalidation(descriptions, schemas, writes));
    }

    private void addReads(ReadRoutes reading, Coalescer coalescer, PipelineInspection inspection) {
        reading.addDocuments(coalescer);
        reading.addViolations(schemas, access);
        reading.addDownloads(client);
        reading.addAggregations(inspection, writes);
        reading.addCatalog(catalog, metadata);
    }

    private void addWrites(
            MongoRoutes routes,
            Coalescer coalescer,
            Validators validators,
            Locations locations,
            PipelineInspection inspection,
            MongoConfig config,
            BackgroundTasks tasks) {
        add(routes, new CollectionValidator(validators, schemas, access));
        var collections = new RequestCollections(client);
        var preconditions = new Preconditions(metadata, config.etagPolicies());
        var writing = new WriteRoutes(routes, collections, validators, preconditions, locations);
        writing.addDocuments(coalescer, config);
        writing.addFiles(tasks);
        writing.addStructure(metadata, new StreamDefinitions(config.streams()), access, inspection);
    }

    private static void add(MongoRoutes routes, CollectionValidator validator) {
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.GET, validator::get);
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.PUT, validator::put);
        routes.on(ResourceKind.COLLECTION_VALIDATOR, Method.DELETE, validator::delete);
    }

    private static void add(MongoRoutes routes, SessionHandlers handlers) {
        routes.on(ResourceKind.SESSIONS, Method.POST, handlers::create);
        routes.on(ResourceKind.SESSION, Method.DELETE, handlers::delete);
        routes.on(ResourceKind.TRANSACTIONS, Method.GET, handlers::status);
        routes.on(ResourceKind.TRANSACTIONS, Method.POST, handlers::begin);
        routes.on(ResourceKind.TRANSACTION, Method.PATCH, handlers::commit);
        routes.on(ResourceKind.TRANSACTION, Method.DELETE, handlers::abort);
    }

    /// Closes cursors and streams that are open in MongoDB between requests.
    @Override
    public void close() {
        positioned.close();
        schemas.close();
    }
}
