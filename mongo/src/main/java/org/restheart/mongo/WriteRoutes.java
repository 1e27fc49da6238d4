package org.restheart.mongo;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;
import static org.restheart.mongo.resource.ResourceKind.BULK_DOCUMENTS;
import static org.restheart.mongo.resource.ResourceKind.BULK_SCHEMAS;
import static org.restheart.mongo.resource.ResourceKind.COLLECTION;
import static org.restheart.mongo.resource.ResourceKind.DB;
import static org.restheart.mongo.resource.ResourceKind.DOCUMENT;
import static org.restheart.mongo.resource.ResourceKind.FILES_BUCKET;
import static org.restheart.mongo.resource.ResourceKind.INDEX;
import static org.restheart.mongo.resource.ResourceKind.SCHEMA_STORE;

import java.util.List;
import org.restheart.mongo.bulk.DeleteDocuments;
import org.restheart.mongo.bulk.PatchDocuments;
import org.restheart.mongo.bulk.PostDocuments;
import org.restheart.mongo.bulk.PostLines;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.collection.DeleteCollection;
import org.restheart.mongo.collection.PatchCollection;
import org.restheart.mongo.collection.PutCollection;
import org.restheart.mongo.database.DeleteDatabase;
import org.restheart.mongo.database.PatchDatabase;
import org.restheart.mongo.database.PutDatabase;
import org.restheart.mongo.document.DeleteDocument;
import org.restheart.mongo.document.PatchDocument;
import org.restheart.mongo.document.PostDocument;
import org.restheart.mongo.document.PostToCollection;
import org.restheart.mongo.document.ReplaceDocument;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.index.DeleteIndex;
import org.restheart.mongo.index.PutIndex;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.PlainBulkInserts;
import org.restheart.mongo.write.PlainInserts;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.StoredProperties;

/// Everything that writes.
final class WriteRoutes {
    private WriteRoutes() {}

    static void addTo(
            MongoRoutes routes, Collections collections, Coalescer coalescer, Metadata metadata, MongoConfig config) {
        var preconditions = new Preconditions(metadata, config.etagPolicies());
        var properties = new StoredProperties(collections, metadata, preconditions);
        var locations = new Locations(config.instanceBaseUrl());
        var streams = new StreamDefinitions(config.streams());
        routes.on(COLLECTION, POST, post(collections, coalescer, preconditions, locations));
        routes.on(DOCUMENT, PUT, new ReplaceDocument(collections, preconditions));
        routes.on(DOCUMENT, PATCH, new PatchDocument(collections, preconditions));
        routes.on(DOCUMENT, DELETE, new DeleteDocument(collections, preconditions));
        for (var kind : List.of(BULK_DOCUMENTS, BULK_SCHEMAS)) {
            routes.on(kind, PATCH, new PatchDocuments(collections));
            routes.on(kind, DELETE, new DeleteDocuments(collections));
        }
        routes.on(INDEX, PUT, new PutIndex(collections));
        routes.on(INDEX, DELETE, new DeleteIndex(collections));
        routes.on(DB, PUT, new PutDatabase(properties));
        routes.on(DB, PATCH, new PatchDatabase(properties));
        routes.on(DB, DELETE, new DeleteDatabase(collections, properties));
        for (var kind : List.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE)) {
            routes.on(kind, PUT, new PutCollection(collections, properties, streams));
            routes.on(kind, PATCH, new PatchCollection(properties, streams));
            routes.on(kind, DELETE, new DeleteCollection(collections, properties));
        }
    }

    private static DataHandler post(
            Collections collections, Coalescer coalescer, Preconditions preconditions, Locations locations) {
        var post = PostToCollection.byShape(
                new PostDocument(collections, preconditions, coalescer.inserts(), locations),
                new PostDocuments(collections, coalescer.bulkInserts()));
        var limited = collections.within(KeyedPost.OPERATION_TIME);
        var keyed = PostToCollection.byShape(
                new PostDocument(limited, preconditions, new PlainInserts(limited.operations()), locations),
                new PostDocuments(limited, new PlainBulkInserts(limited.operations())));
        return new PostToCollection(post, new PostLines(collections), new KeyedPost(keyed, collections.client()));
    }
}
