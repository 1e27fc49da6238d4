package org.restheart.mongo;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;
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
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.bulk.BulkWrite;
import org.restheart.mongo.bulk.DeleteDocuments;
import org.restheart.mongo.bulk.PatchDocuments;
import org.restheart.mongo.bulk.PostDocuments;
import org.restheart.mongo.bulk.PostLines;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.document.DeleteDocument;
import org.restheart.mongo.document.OneDocument;
import org.restheart.mongo.document.PatchDocument;
import org.restheart.mongo.document.PostDocument;
import org.restheart.mongo.document.PostSchema;
import org.restheart.mongo.document.PostToCollection;
import org.restheart.mongo.document.ReplaceDocument;
import org.restheart.mongo.document.SingleWrites;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.file.Files;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.management.DeleteCollection;
import org.restheart.mongo.management.DeleteDatabase;
import org.restheart.mongo.management.DeleteIndex;
import org.restheart.mongo.management.PatchCollection;
import org.restheart.mongo.management.PatchDatabase;
import org.restheart.mongo.management.PutCollection;
import org.restheart.mongo.management.PutDatabase;
import org.restheart.mongo.management.PutIndex;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.validator.FollowedWrite;
import org.restheart.mongo.validator.Validators;
import org.restheart.mongo.write.BulkInserts;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.StoredProperties;

/// Adds the routes that write. Used once, at start.
///
/// @param routes receives the handlers
/// @param validators are updated after writes of JSON Schemas
record WriteRoutes(
        MongoRoutes routes,
        Collections collections,
        Validators validators,
        Preconditions preconditions,
        Locations locations) {

    /// Documents and JSON Schemas.
    void addDocuments(Coalescer coalescer, MongoConfig config) {
        routes.on(COLLECTION, POST, post(coalescer, config.accounts()));
        var single = new SingleWrites(collections, preconditions, coalescer.updates());
        var replace = new ReplaceDocument(single);
        var patch = new PatchDocument(single);
        var delete = new DeleteDocument(single, coalescer.deletes());
        routes.on(DOCUMENT, PUT, replace);
        routes.on(DOCUMENT, PATCH, patch);
        routes.on(DOCUMENT, DELETE, delete);
        routes.on(SCHEMA, PUT, new FollowedWrite(validators, replace));
        routes.on(SCHEMA, DELETE, new FollowedWrite(validators, delete));
        routes.on(
                SCHEMA_STORE,
                POST,
                new FollowedWrite(
                        validators,
                        new PostSchema(new PostDocument(collections, preconditions, coalescer.inserts(), locations))));
        var bulk = new BulkWrite(config.queryTimeLimit());
        var patchAll = new PatchDocuments(collections, bulk);
        var deleteAll = new DeleteDocuments(collections, bulk);
        routes.on(BULK_DOCUMENTS, PATCH, new OneDocument(collections, patch, replace, delete, patchAll));
        routes.on(BULK_DOCUMENTS, DELETE, new OneDocument(collections, patch, replace, delete, deleteAll));
        routes.on(BULK_SCHEMAS, PATCH, new FollowedWrite(validators, patchAll));
        routes.on(BULK_SCHEMAS, DELETE, new FollowedWrite(validators, deleteAll));
    }

    /// Uploads, metadata and deletions of files.
    void addFiles(BackgroundTasks tasks) {
        var upload = Files.post(collections, preconditions, locations, tasks);
        routes.on(FILES_BUCKET, POST, upload);
        routes.on(FILE, PUT, Files.put(upload, collections, preconditions));
        routes.on(FILE, PATCH, Files.patch(collections, preconditions));
        routes.on(FILE, DELETE, Files.delete(collections, preconditions));
        routes.on(BULK_FILES, DELETE, Files.deleteMany(collections));
    }

    /// Indexes, databases, and collections of all kinds.
    void addStructure(StoredProperties properties, StreamDefinitions streams, SchemaAccess schemas) {
        routes.on(INDEX, PUT, new PutIndex(collections));
        routes.on(INDEX, DELETE, new DeleteIndex(collections));
        routes.on(DB, PUT, new PutDatabase(properties));
        routes.on(DB, PATCH, new PatchDatabase(properties));
        routes.on(DB, DELETE, new DeleteDatabase(collections, properties));
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            var put = new PutCollection(collections, properties, streams, schemas);
            var change = new PatchCollection(properties, streams, schemas);
            boolean follows = kind == COLLECTION;
            routes.on(kind, PUT, follows ? new FollowedWrite(validators, put) : put);
            routes.on(kind, PATCH, follows ? new FollowedWrite(validators, change) : change);
            routes.on(kind, DELETE, new DeleteCollection(collections, properties));
        }
    }

    private DataHandler post(Coalescer coalescer, boolean accounts) {
        var post = PostToCollection.byShape(
                new PostDocument(collections, preconditions, coalescer.inserts(), locations),
                new PostDocuments(collections, coalescer.bulkInserts(), coalescer.limited()));
        var limited = coalescer.limited().within(KeyedPost.OPERATION_TIME);
        var keyed = PostToCollection.byShape(
                new PostDocument(
                        collections.within(SessionCollection.LONGEST_WRITE),
                        preconditions,
                        Inserts.limited(limited),
                        locations),
                new PostDocuments(collections.within(KeyedPost.OPERATION_TIME), BulkInserts.limited(limited), limited));
        return new PostToCollection(
                post,
                new PostLines(collections, coalescer.limited()),
                new KeyedPost(keyed, collections.client(), accounts));
    }
}
