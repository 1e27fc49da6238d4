package org.restheart.rest;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.access.ResourceKind.*;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Handler;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.parameter.OperationTable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.cursor.DeepPageFinder;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.rest.aggregation.Aggregations;
import org.restheart.rest.bulk.BulkChanges;
import org.restheart.rest.bulk.PostDocuments;
import org.restheart.rest.bulk.PostLines;
import org.restheart.rest.changestream.ChangeStreams;
import org.restheart.rest.changestream.OpenStream;
import org.restheart.rest.changestream.StreamDefinitions;
import org.restheart.rest.description.Descriptions;
import org.restheart.rest.document.FindDocuments;
import org.restheart.rest.document.FindViolations;
import org.restheart.rest.document.PostDocument;
import org.restheart.rest.document.PostToCollection;
import org.restheart.rest.document.SingleWrites;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.exchange.CoalescedResponses;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.file.DownloadFile;
import org.restheart.rest.file.FileHandlers;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.idempotency.KeyedPost;
import org.restheart.rest.management.Catalog;
import org.restheart.rest.management.CatalogHandlers;
import org.restheart.rest.management.CollectionHandlers;
import org.restheart.rest.management.IndexHandlers;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.reading.DocumentReads;
import org.restheart.rest.resource.Mounts;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.rest.schema.SchemaAccess;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.session.OwnTransactions;
import org.restheart.rest.session.OwnTransactions.Attempt;
import org.restheart.rest.session.SessionHandlers;
import org.restheart.rest.session.Sessions;
import org.restheart.rest.validator.Validators;

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
    final OwnTransactions transactions;
    private final SchemaAccess access;
    private final DeepPageFinder deepPages;
    private final DriverFinder documents;
    private final Coalescer coalescer;
    private final CoalescedResponses responses;
    private final PipelineInspection inspection;
    private final Locations locations;
    private final RequestCollections collections;
    private final Preconditions preconditions;
    private final IndexCheck indexes;
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
        this.schemas = new Schemas(tasks, client, config.schemaTtl(), mounts::mayShow);
        this.access = new SchemaAccess(judged, mounts, schemas);
        this.catalog = new Catalog(client);
        this.documents = new DriverFinder(client);
        this.indexes = new IndexCheck(config.indexes(), documents, catalog::indexes);
        this.coalescer = new Coalescer(client, config.coalescing(), registry);
        this.responses = new CoalescedResponses(coalescer, config.coalescing().header());
        this.inspection = new PipelineInspection(
                config.querySecurity(),
                (db, name) -> metadata.collection(db, name).sources());
        this.deepPages = new DeepPageFinder(tasks, client, documents, config.cursorPool(), registry);
        this.reads = new DocumentReads(
                documents, coalescer, config.queryTimeLimit(), metadata, forbiddenOperators, inspection, memory);
        this.descriptions = new Descriptions(client, catalog, mounts, documents, memory, config.metadataTtl());
        this.locations = new Locations(config.instanceBaseUrl());
        this.collections = new RequestCollections(client);
        this.preconditions = new Preconditions(metadata, config.etagPolicies());
        metadata.onChange(streams::changed);
        metadata.followChanges(tasks, mounts.databases());

        var validators = new Validators(tasks, client, schemas, access, mounts, config.querySecurity()::withholds);
        var sessions = new Sessions(client, config.sessions());
        this.transactions = new OwnTransactions(sessions);
        addReads(config, new Continuations(client, documents, registry), judged);
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
                        access,
                        catalog),
                routes,
                descriptions,
                schemas,
                indexes);
    }

    /// Documents, metadata of files, and schemas: pages, single ones, counts, and those that violate a JSON
    /// Schema.
    private void addReads(MongoConfig config, Continuations continuations, JudgedRequests judged) {
        var timeLimit = config.queryTimeLimit();
        var finder = deepPages.outsideSessions(documents);
        var find = new FindDocuments(
                finder,
                documents,
                responses,
                continuations,
                judged,
                reads.related(),
                indexes,
                timeLimit,
                config.bulkTimeLimit());
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            routes.on(kind, Read.FIND, find);
        }
        for (var kind : List.of(COLLECTION_SIZE, FILES_BUCKET_SIZE, SCHEMA_STORE_SIZE)) {
            routes.on(kind, Read.COUNT, find::count);
        }
        for (var kind : List.of(DOCUMENT, FILE, SCHEMA)) {
            routes.on(kind, Read.GET, find::one);
        }
        routes.on(
                COLLECTION_VIOLATIONS,
                Read.CHECK,
                new FindViolations(finder, coalescer.sizes(), continuations, schemas, access, timeLimit));
    }

    private void addAggregations(MongoConfig config, ChangeStreams streams) {
        var interpolation = config.interpolation();
        var aggregations = new Aggregations(
                documents, coalescer.sizes(), inspection, interpolation, indexes, config.aggregationTimeLimit());
        routes.on(AGGREGATIONS, Read.AGGREGATE, aggregations::adHoc);
        routes.on(AGGREGATION, Read.RUN, aggregations::declared);
        routes.on(
                CHANGE_STREAM,
                Read.WATCH,
                new OpenStream(streams, config.streams(), inspection, interpolation, parameterSettings.strict()));
    }

    private void addCatalog() {
        var handlers = new CatalogHandlers(catalog, metadata);
        routes.on(ROOT, Read.LIST, handlers::databases);
        routes.on(ROOT_SIZE, Read.DESCRIBE, handlers::countDatabases);
        routes.on(DB, Read.LIST, handlers::collections);
        routes.on(DB_SIZE, Read.DESCRIBE, handlers::countCollections);
        routes.on(COLLECTION_INDEXES, Read.LIST, handlers::indexes);
        for (var kind : List.of(DB_META, COLLECTION_META, FILES_BUCKET_META, SCHEMA_STORE_META)) {
            routes.on(kind, Read.DESCRIBE, handlers::properties);
        }
    }

    private void addWrites(MongoConfig config, Validators validators) {
        routes.on(COLLECTION, Write.INSERT, post(config.accounts()));
        var single = new SingleWrites(collections, preconditions, responses);
        routes.on(DOCUMENT, Write.REPLACE, single::put);
        routes.on(DOCUMENT, Write.UPDATE, single::patch);
        routes.on(DOCUMENT, Write.DELETE, single::delete);
        routes.on(SCHEMA, Write.REPLACE, validators.followed(single::put));
        routes.on(SCHEMA, Write.DELETE, validators.followed(single::delete));
        routes.on(
                SCHEMA_STORE,
                Write.INSERT,
                validators.followed(
                        PostToCollection.ofSchema(new PostDocument(collections, preconditions, responses, locations))));
        var bulk = new BulkChanges(collections, config.bulkTimeLimit());
        UnaryOperator<DataHandler> found = write -> indexes.ofWrites(write, config.queryTimeLimit());
        routes.on(BULK_DOCUMENTS, Write.UPDATE_MANY, found.apply(single.orInserting(bulk::patch)));
        routes.on(BULK_DOCUMENTS, Write.DELETE_MANY, found.apply(bulk::delete));
        routes.on(BULK_DOCUMENTS, Write.REPLACE_ONE, found.apply(single.ofOne(single::put)));
        routes.on(BULK_DOCUMENTS, Write.UPDATE_ONE, found.apply(single.ofOne(single::patch)));
        routes.on(BULK_DOCUMENTS, Write.DELETE_ONE, found.apply(single.ofOne(single::delete)));
        routes.on(BULK_SCHEMAS, Write.UPDATE_MANY, found.apply(validators.followed(bulk::patch)));
        routes.on(BULK_SCHEMAS, Write.DELETE_MANY, found.apply(validators.followed(bulk::delete)));
    }

    private void addFiles(MongoConfig config, BackgroundTasks tasks) {
        var download = new DownloadFile(collections, documents, config.queryTimeLimit());
        routes.on(FILE_BINARY, Read.GET, download);
        var upload = FileHandlers.post(collections, preconditions, locations, tasks);
        routes.on(FILES_BUCKET, Write.UPLOAD, upload);
        routes.on(FILE, Write.REPLACE, FileHandlers.put(upload, collections, preconditions));
        routes.on(FILE, Write.UPDATE, FileHandlers.patch(collections, preconditions));
        routes.on(FILE, Write.DELETE, FileHandlers.delete(collections, preconditions));
        routes.on(
                BULK_FILES,
                Write.DELETE_MANY,
                indexes.ofWrites(FileHandlers.deleteMany(collections), config.queryTimeLimit()));
    }

    private void addStructure(Validators validators, StreamDefinitions streams) {
        routes.on(COLLECTION_VALIDATOR, Read.DESCRIBE, validators::get);
        routes.on(COLLECTION_VALIDATOR, Structure.SET_VALIDATOR, validators::put);
        routes.on(COLLECTION_VALIDATOR, Structure.DROP_VALIDATOR, validators::delete);
        var index = new IndexHandlers(collections);
        routes.on(INDEX, Structure.CREATE_INDEX, index::put);
        routes.on(INDEX, Structure.DROP_INDEX, index::delete);
        var collection = new CollectionHandlers(collections, metadata, preconditions, streams, access, inspection);
        routes.on(DB, Structure.CREATE, collection::putDatabase);
        routes.on(DB, Structure.ALTER, collection::patchDatabase);
        routes.on(DB, Structure.DROP, collection::deleteDatabase);
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            boolean follows = kind == COLLECTION;
            routes.on(kind, Structure.CREATE, follows ? validators.followed(collection::put) : collection::put);
            routes.on(kind, Structure.ALTER, follows ? validators.followed(collection::patch) : collection::patch);
            routes.on(kind, Structure.DROP, collection::delete);
        }
    }

    private void addSessions(SessionHandlers handlers) {
        routes.on(SESSIONS, Other.BEGIN, handlers::create);
        routes.on(SESSION, Other.END, handlers::delete);
        routes.on(TRANSACTIONS, Read.DESCRIBE, handlers::status);
        routes.on(TRANSACTIONS, Other.BEGIN, handlers::begin);
        routes.on(TRANSACTION, Other.COMMIT, handlers::commit);
        routes.on(TRANSACTION, Other.END, handlers::abort);
    }

    /// `POST /{db}/{collection}`.
    private DataHandler post(boolean accounts) {
        var post = PostToCollection.byShape(
                new PostDocument(collections, preconditions, responses, locations),
                new PostDocuments(collections, responses));
        var keyed = new KeyedPost(post, collections.client(), accounts);
        return new PostToCollection(post, keyed, new PostLines(collections, coalescer.limited()));
    }

    @Override
    public void close() {
        deepPages.close();
    }

    /// The handlers by kind of resource and operation. Filled once at start, not changed afterwards.
    private static final class MongoRoutes {
        private final Map<ResourceKind, Map<Operation, DataHandler>> handlers = new EnumMap<>(ResourceKind.class);

        void on(ResourceKind kind, Operation operation, DataHandler handler) {
            handlers.computeIfAbsent(kind, _ -> new HashMap<>()).put(operation, handler);
        }

        /// @throws org.restheart.http.ProblemException if an operation of clients has no handler
        void requireAll() {
            for (var kind : ResourceKind.values()) {
                for (var method : Method.values()) {
                    if (OperationTable.of(kind, method) != Other.NONE) {
                        find(kind, OperationTable.of(kind, method));
                    }
                }
            }
        }

        /// @throws org.restheart.http.ProblemException 405 for an operation that a service names and the resource does
        ///     not have
        DataHandler find(ResourceKind kind, Operation operation) {
            var handler = handlers.getOrDefault(kind, Map.of()).get(operation);
            if (handler == null) {
                throw new ProblemException(METHOD_NOT_ALLOWED, "there is no such operation on this resource");
            }
            return handler;
        }
    }

    /// Checks requests, runs their handlers, and invalidates what is cached of MongoDB's content that they
    /// change. Thread-safe.
    ///
    /// @param descriptions are invalidated by changes of the structure
    /// @param schemas are compiled again after changes of schema stores
    /// @param indexes are looked at again after changes of the structure
    record RequestDispatcher(
            RequestChecks checks, MongoRoutes routes, Descriptions descriptions, Schemas schemas, IndexCheck indexes) {
        Response dispatch(Request request) {
            var checked = checks.check(request);
            var path = checked.path();
            if (Answer.of(request, Answer.Facts.class).isPresent()) {
                return Response.status(204).saying(checked);
            }
            var operation = checked.operation();
            var handler = routes.find(path.kind(), operation);
            Handler step = http -> handler.handle(http.mayBlock() ? checked.with(http) : checked);
            return operation instanceof Structure
                            || (operation instanceof Write && path.kind().isSchemas())
                    ? invalidating(path, () -> answer(step, checked))
                    : operation instanceof Read read
                                    && request.attribute(Answer.KEY).isEmpty()
                            ? Caching.withHeaders(checked, read, answer(step, checked))
                            : answer(step, checked);
        }

        /// Invalidates what is known of a structure after its change, also after a failed one, part of
        /// which may have been done.
        private Response invalidating(ResourcePath path, Supplier<Response> write) {
            try {
                return write.get().whenDone(() -> written(path));
            } finally {
                written(path);
            }
        }

        private void written(ResourcePath path) {
            descriptions.forget(path.requireDb());
            indexes.forget(path.requireDb());
            if (path.kind().isSchemas() || path.kind() == ResourceKind.DB) {
                schemas.changed();
            }
        }

        private static Response answer(Handler step, DataRequest request) {
            return request.session().isPresent()
                    ? request.http()
                            .attribute(Attempt.KEY)
                            .map(attempt -> shown(attempt.noting(step), request))
                            .orElseGet(() -> shown(step, request))
                    : shown(step, request);
        }

        /// Problems do not contain MongoDB's messages where these may quote documents that the caller may
        /// not see.
        private static Response shown(Handler step, DataRequest request) {
            if (!HiddenFields.hidesErrorDetails(request.http())) {
                return step.resumed(request.http());
            }
            boolean showsTag = HiddenFields.showsTag(request);
            try {
                return step.resumed(request.http()).mapFailure(failure -> unquoted(failure, showsTag));
            } catch (RuntimeException e) {
                throw unquoted(e, showsTag);
            }
        }

        private static RuntimeException unquoted(RuntimeException failure, boolean showsTag) {
            var problem = failure instanceof ProblemException refused
                    ? Optional.of(refused.problem())
                    : MongoErrors.toProblem(failure);
            if (problem.isPresent()) {
                var quoting = problem.get();
                var shown = showsTag ? quoting.unquoting() : quoting.unquoting().without("ETag");
                if (!shown.equals(quoting)) {
                    return shown.raise();
                }
            }
            return failure;
        }
    }
}
