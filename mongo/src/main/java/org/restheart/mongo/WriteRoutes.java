package org.restheart.mongo;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.access.ResourceKind.BULK_DOCUMENTS;
import static org.restheart.http.access.ResourceKind.BULK_FILES;
import static org.restheart.http.access.ResourceKind.BULK_SCHEMAS;
import static org.restheart.http.access.ResourceKind.COLLECTION;
import static org.restheart.http.access.ResourceKind.DB;
import static org.restheart.http.access.ResourceKind.DOCUMENT;
import static org.restheart.http.access.ResourceKind.FILE;
import static org.restheart.http.access.ResourceKind.FILES_BUCKET;
import static org.restheart.http.access.ResourceKind.INDEX;
import static org.restheart.http.access.ResourceKind.SCHEMA;
import static org.restheart.http.access.ResourceKind.SCHEMA_STORE;

import java.util.List;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.bulk.BulkChanges;
import org.restheart.mongo.bulk.PostDocuments;
import org.restheart.mongo.bulk.PostLines;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.document.OneDocument;
import org.restheart.mongo.document.PostDocument;
import org.restheart.mongo.document.SingleWrites;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.file.FileHandlers;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.idempotency.Creation;
import org.restheart.mongo.idempotency.Creation.NewIds;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.management.CollectionHandlers;
import org.restheart.mongo.management.DatabaseHandlers;
import org.restheart.mongo.management.IndexHandlers;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.validator.FollowedWrite;
import org.restheart.mongo.validator.Validators;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;

/// Adds the routes that write. Used once, at start.
///
/// @param routes receives the handlers
/// @param validators are updated after writes of JSON Schemas
record WriteRoutes(
        MongoRoutes routes,
        RequestCollections collections,
        Validators validators,
        Preconditions preconditions,
        Locations locations) {

    /// Documents and JSON Schemas.
    void addDocuments(Coalescer coalescer, MongoConfig config) {
        routes.on(COLLECTION, POST, post(coalescer, config.accounts()));
        var single = new SingleWrites(collections, preconditions, coalescer.updates(), coalescer.deletes());
        routes.on(DOCUMENT, PUT, single::put);
        routes.on(DOCUMENT, PATCH, single::patch);
        routes.on(DOCUMENT, DELETE, single::delete);
        routes.on(SCHEMA, PUT, new FollowedWrite(validators, single::put));
        routes.on(SCHEMA, DELETE, new FollowedWrite(validators, single::delete));
        routes.on(
                SCHEMA_STORE,
                POST,
                new FollowedWrite(
                        validators,
                        postSchema(new PostDocument(collections, preconditions, coalescer.inserts(), locations))));
        var bulk = new BulkChanges(collections, config.queryTimeLimit());
        routes.on(BULK_DOCUMENTS, PATCH, new OneDocument(collections, single, bulk::patch));
        routes.on(BULK_DOCUMENTS, DELETE, new OneDocument(collections, single, bulk::delete));
        routes.on(BULK_SCHEMAS, PATCH, new FollowedWrite(validators, bulk::patch));
        routes.on(BULK_SCHEMAS, DELETE, new FollowedWrite(validators, bulk::delete));
    }

    /// Uploads, metadata and deletions of files.
    void addFiles(BackgroundTasks tasks) {
        var upload = FileHandlers.post(collections, preconditions, locations, tasks);
        routes.on(FILES_BUCKET, POST, upload);
        routes.on(FILE, PUT, FileHandlers.put(upload, collections, preconditions));
        routes.on(FILE, PATCH, FileHandlers.patch(collections, preconditions));
        routes.on(FILE, DELETE, FileHandlers.delete(collections, preconditions));
        routes.on(BULK_FILES, DELETE, FileHandlers.deleteMany(collections));
    }

    /// Indexes, databases, and collections of all kinds.
    void addStructure(
            Metadata metadata, StreamDefinitions streams, SchemaAccess schemas, PipelineInspection inspection) {
        var index = new IndexHandlers(collections);
        routes.on(INDEX, PUT, index::put);
        routes.on(INDEX, DELETE, index::delete);
        var database = new DatabaseHandlers(collections, metadata, preconditions);
        routes.on(DB, PUT, database::put);
        routes.on(DB, PATCH, database::patch);
        routes.on(DB, DELETE, database::delete);
        var collection = new CollectionHandlers(collections, metadata, preconditions, streams, schemas, inspection);
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            boolean follows = kind == COLLECTION;
            routes.on(kind, PUT, follows ? new FollowedWrite(validators, collection::put) : collection::put);
            routes.on(kind, PATCH, follows ? new FollowedWrite(validators, collection::patch) : collection::patch);
            routes.on(kind, DELETE, collection::delete);
        }
    }

    /// `POST /{db}/{collection}`.
    private DataHandler post(Coalescer coalescer, boolean accounts) {
        var post = byShape(
                new PostDocument(collections, preconditions, coalescer.inserts(), locations),
                new PostDocuments(collections, coalescer.bulkInserts(), coalescer.limited()));
        var limited = coalescer.limited().within(KeyedPost.OPERATION_TIME);
        var keyed = new KeyedPost(
                byShape(
                        new PostDocument(
                                collections.within(SessionCollection.LONGEST_WRITE),
                                preconditions,
                                Inserts.limited(limited),
                                locations),
                        new PostDocuments(
                                collections.within(KeyedPost.OPERATION_TIME), Inserts.limited(limited), limited)),
                collections.client(),
                accounts);
        var lines = new PostLines(collections, coalescer.limited());
        return request -> {
            ContentSize.check(request);
            if (DataContent.isMany(request.http())
                    && request.http().require(RequestContent.KEY).isUnread()) {
                return lines.handle(request);
            }
            return KeyedPost.isKeyed(request.http()) ? keyed.handle(request) : post.handle(request, NewIds.fresh());
        };
    }

    /// An object is one document, an array is many.
    private static Creation byShape(Creation one, Creation many) {
        return (request, ids) -> request.content().isArray() ? many.handle(request, ids) : one.handle(request, ids);
    }

    /// `POST /{db}/_schemas`: adds a JSON Schema to the store, one at a time.
    private static DataHandler postSchema(Creation post) {
        return request -> {
            ContentSize.check(request);
            if (request.content().isArray()) {
                throw new ProblemException(CONTENT_INVALID, "schemas are stored one at a time, not as an array");
            }
            return post.handle(request, NewIds.fresh());
        };
    }
}
