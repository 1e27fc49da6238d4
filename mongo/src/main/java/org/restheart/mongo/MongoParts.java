package org.restheart.mongo;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.HEAD;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;
import static org.restheart.http.access.ResourceKind.*;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.restheart.http.MemoryBudget;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.aggregation.Aggregations;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.bulk.BulkChanges;
import org.restheart.mongo.bulk.PostDocuments;
import org.restheart.mongo.bulk.PostLines;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.changestream.OpenStream;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.cursor.DeepPageFinder;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.FindViolations;
import org.restheart.mongo.document.PostDocument;
import org.restheart.mongo.document.PostToCollection;
import org.restheart.mongo.document.SingleWrites;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.file.DownloadFile;
import org.restheart.mongo.file.FileHandlers;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.management.Catalog;
import org.restheart.mongo.management.CatalogHandlers;
import org.restheart.mongo.management.CollectionHandlers;
import org.restheart.mongo.management.DatabaseHandlers;
import org.restheart.mongo.management.IndexHandlers;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.resource.Mounts;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.session.SessionHandlers;
import org.restheart.mongo.session.Sessions;
import org.restheart.mongo.validator.Validators;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;

/// The collaborators of the data API, constructed from its configuration, and the handler of each resource
/// and method. Thread-safe.
final class MongoParts implements AutoCloseable {
    final Parameters.Settings parameterSettings;
    final Mounts mounts;
    final Metadata metadata;
    final Schemas schemas;
    final ForbiddenOperators forbiddenOperators;
    final DocumentReads reads;
    final Descriptions descriptions;
    final Catalog catalog;
    final RequestDispatcher dispatcher;
    private final SchemaAccess access;
    private final DeepPageFinder deepPages;
    private final DriverFinder documents;
    private final Coalescer coalescer;
    private final PipelineInspection inspection;
    private final Locations locations;
    private final RequestCollections collections;
    private final Preconditions preconditions;
    private final MongoRoutes routes = new MongoRoutes();

    MongoParts(
            BackgroundTasks tasks,
            MongoConfig config,
            MongoClient client,
            MemoryBudget memory,
            ChangeStreams streams,
            MeterRegistry registry,
            JudgedRequests judged) {
        this.parameterSettings = config.parameterSettings();
        this.mounts = new Mounts(config.uri(), config.mounts());
        this.metadata = new Metadata(client, config.metadataTtl());
        this.forbiddenOperators = new ForbiddenOperators(config.querySecurity());
        this.schemas = new Schemas(client, config.schemaTtl(), mounts::mayShow);
        this.access = new SchemaAccess(judged, mounts, schemas);
        this.catalog = new Catalog(client);
        this.documents = new DriverFinder(client);
        this.coalescer = new Coalescer(client, config.coalescing(), registry);
        this.inspection = new PipelineInspection(
                config.querySecurity(),
                (db, name) -> metadata.collection(db, name).sources());
        this.deepPages = new DeepPageFinder(tasks, client, documents, config.cursorPool(), registry);
        this.reads = new DocumentReads(
                documents, coalescer, config.queryTimeLimit(), metadata, forbiddenOperators, inspection, memory);
        this.descriptions = new Descriptions(client, catalog, mounts, reads, config.metadataTtl());
        this.locations = new Locations(config.instanceBaseUrl());
        this.collections = new RequestCollections(client);
        this.preconditions = new Preconditions(metadata, config.etagPolicies());
        metadata.onChange(streams::changed);
        metadata.followChanges(tasks, mounts.databases());

        var validators = new Validators(tasks, client, schemas, mounts, config.querySecurity()::withholds);
        var sessions = new Sessions(client, config.sessions());
        addReads(config, new Continuations(client, documents, registry));
        addAggregations(config, streams);
        addCatalog();
        addWrites(config, validators);
        addFiles(config, tasks);
        addStructure(validators, new StreamDefinitions(config.streams()));
        addSessions(new SessionHandlers(sessions, locations));
        routes.requireAll();
        this.dispatcher = new RequestDispatcher(
                new RequestChecks(
                        parameterSettings,
                        forbiddenOperators,
                        new Existence(metadata, config.querySecurity()),
                        sessions,
                        schemas,
                        access),
                routes,
                descriptions,
                schemas);
    }

    /// Documents, metadata of files, and schemas: pages, single ones, counts, and those that violate a JSON
    /// Schema.
    private void addReads(MongoConfig config, Continuations continuations) {
        var timeLimit = config.queryTimeLimit();
        var finder = deepPages.outsideSessions(documents);
        var find = new FindDocuments(finder, documents, coalescer, continuations, timeLimit, config.bulkTimeLimit());
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            routes.on(kind, GET, find);
        }
        for (var kind : List.of(COLLECTION_SIZE, FILES_BUCKET_SIZE, SCHEMA_STORE_SIZE)) {
            routes.on(kind, GET, find::count);
        }
        for (var kind : List.of(DOCUMENT, FILE, SCHEMA)) {
            routes.on(kind, GET, find::one);
        }
        routes.on(
                COLLECTION_VIOLATIONS,
                GET,
                new FindViolations(finder, coalescer.sizes(), continuations, schemas, access, timeLimit));
    }

    /// Pipelines of clients, aggregations and change streams that collections declare.
    private void addAggregations(MongoConfig config, ChangeStreams streams) {
        var interpolation = config.interpolation();
        var aggregations = new Aggregations(
                documents, coalescer.sizes(), inspection, interpolation, config.aggregationTimeLimit());
        routes.on(AGGREGATIONS, POST, aggregations::adHoc);
        routes.on(AGGREGATION, GET, aggregations::declared);
        routes.on(
                CHANGE_STREAM,
                GET,
                new OpenStream(streams, config.streams(), inspection, interpolation, parameterSettings.strict()));
    }

    /// Names and properties of databases and collections, and indexes.
    private void addCatalog() {
        var handlers = new CatalogHandlers(catalog, metadata);
        routes.on(ROOT, GET, handlers::databases);
        routes.on(ROOT_SIZE, GET, handlers::countDatabases);
        routes.on(DB, GET, handlers::collections);
        routes.on(DB_SIZE, GET, handlers::countCollections);
        routes.on(COLLECTION_INDEXES, GET, handlers::indexes);
        for (var kind : List.of(DB_META, COLLECTION_META, FILES_BUCKET_META, SCHEMA_STORE_META)) {
            routes.on(kind, GET, handlers::properties);
        }
    }

    /// Documents and JSON Schemas.
    private void addWrites(MongoConfig config, Validators validators) {
        routes.on(COLLECTION, POST, post(config.accounts()));
        var single = new SingleWrites(collections, preconditions, coalescer);
        routes.on(DOCUMENT, PUT, single::put);
        routes.on(DOCUMENT, PATCH, single::patch);
        routes.on(DOCUMENT, DELETE, single::delete);
        routes.on(SCHEMA, PUT, validators.followed(single::put));
        routes.on(SCHEMA, DELETE, validators.followed(single::delete));
        routes.on(
                SCHEMA_STORE,
                POST,
                validators.followed(PostToCollection.ofSchema(
                        new PostDocument(collections, preconditions, coalescer.inserts(), locations))));
        var bulk = new BulkChanges(collections, config.bulkTimeLimit());
        routes.on(BULK_DOCUMENTS, PATCH, single.ofOneOr(bulk::patch));
        routes.on(BULK_DOCUMENTS, DELETE, single.ofOneOr(bulk::delete));
        routes.on(BULK_SCHEMAS, PATCH, validators.followed(bulk::patch));
        routes.on(BULK_SCHEMAS, DELETE, validators.followed(bulk::delete));
    }

    /// Files: content, uploads, metadata and deletions.
    private void addFiles(MongoConfig config, BackgroundTasks tasks) {
        var download = new DownloadFile(collections, documents, config.queryTimeLimit());
        routes.on(FILE_BINARY, GET, download);
        routes.on(FILE_BINARY, HEAD, download);
        var upload = FileHandlers.post(collections, preconditions, locations, tasks);
        routes.on(FILES_BUCKET, POST, upload);
        routes.on(FILE, PUT, FileHandlers.put(upload, collections, preconditions));
        routes.on(FILE, PATCH, FileHandlers.patch(collections, preconditions));
        routes.on(FILE, DELETE, FileHandlers.delete(collections, preconditions));
        routes.on(BULK_FILES, DELETE, FileHandlers.deleteMany(collections));
    }

    /// Indexes, validators, databases, and collections of all kinds.
    private void addStructure(Validators validators, StreamDefinitions streams) {
        var validator = validators.new CollectionValidator(access);
        routes.on(COLLECTION_VALIDATOR, GET, validator::get);
        routes.on(COLLECTION_VALIDATOR, PUT, validator::put);
        routes.on(COLLECTION_VALIDATOR, DELETE, validator::delete);
        var index = new IndexHandlers(collections);
        routes.on(INDEX, PUT, index::put);
        routes.on(INDEX, DELETE, index::delete);
        var database = new DatabaseHandlers(collections, metadata, preconditions);
        routes.on(DB, PUT, database::put);
        routes.on(DB, PATCH, database::patch);
        routes.on(DB, DELETE, database::delete);
        var collection = new CollectionHandlers(collections, metadata, preconditions, streams, access, inspection);
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            boolean follows = kind == COLLECTION;
            routes.on(kind, PUT, follows ? validators.followed(collection::put) : collection::put);
            routes.on(kind, PATCH, follows ? validators.followed(collection::patch) : collection::patch);
            routes.on(kind, DELETE, collection::delete);
        }
    }

    private void addSessions(SessionHandlers handlers) {
        routes.on(SESSIONS, POST, handlers::create);
        routes.on(SESSION, DELETE, handlers::delete);
        routes.on(TRANSACTIONS, GET, handlers::status);
        routes.on(TRANSACTIONS, POST, handlers::begin);
        routes.on(TRANSACTION, PATCH, handlers::commit);
        routes.on(TRANSACTION, DELETE, handlers::abort);
    }

    /// `POST /{db}/{collection}`.
    private DataHandler post(boolean accounts) {
        var post = PostToCollection.byShape(
                new PostDocument(collections, preconditions, coalescer.inserts(), locations),
                new PostDocuments(collections, coalescer.bulkInserts(), coalescer.limited()));
        var limited = coalescer.limited().within(KeyedPost.OPERATION_TIME);
        var keyed = new KeyedPost(
                PostToCollection.byShape(
                        new PostDocument(
                                collections.within(SessionCollection.LONGEST_WRITE),
                                preconditions,
                                Inserts.limited(limited),
                                locations),
                        new PostDocuments(
                                collections.within(KeyedPost.OPERATION_TIME), Inserts.limited(limited), limited)),
                collections.client(),
                accounts);
        return new PostToCollection(post, keyed, new PostLines(collections, coalescer.limited()));
    }

    /// Closes cursors and streams that are open in MongoDB between requests.
    @Override
    public void close() {
        deepPages.close();
        schemas.close();
    }
}
