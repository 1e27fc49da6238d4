package org.restheart.mongo;

import static org.restheart.http.Method.GET;

import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.List;
import org.restheart.mongo.aggregation.RunAggregation;
import org.restheart.mongo.catalog.Catalog;
import org.restheart.mongo.catalog.CountNames;
import org.restheart.mongo.catalog.GetProperties;
import org.restheart.mongo.catalog.ListCollections;
import org.restheart.mongo.catalog.ListDatabases;
import org.restheart.mongo.catalog.ListIndexes;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.document.CountDocuments;
import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.GetDocument;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.resource.ResourceKind;

/// Everything that only reads.
final class ReadRoutes {
    private ReadRoutes() {}

    static void addTo(
            MongoRoutes routes,
            MongoClient client,
            Finder finder,
            Continuations continuations,
            Coalescer coalescer,
            Metadata metadata,
            PipelineInspection inspection,
            MongoConfig config) {
        documents(routes, finder, continuations, coalescer, config.queryTimeLimit());
        catalog(routes, new Catalog(client), metadata);
        routes.on(ResourceKind.AGGREGATION, GET, new RunAggregation(client, inspection, config.aggregationTimeLimit()));
    }

    private static void documents(
            MongoRoutes routes, Finder finder, Continuations continuations, Coalescer coalescer, Duration timeLimit) {
        var find = new FindDocuments(finder, coalescer.pages(), continuations, timeLimit);
        for (var kind : List.of(ResourceKind.COLLECTION, ResourceKind.FILES_BUCKET, ResourceKind.SCHEMA_STORE)) {
            routes.on(kind, GET, find);
        }
        var get = new GetDocument(coalescer.lookups(finder), timeLimit);
        for (var kind : List.of(ResourceKind.DOCUMENT, ResourceKind.FILE, ResourceKind.SCHEMA)) {
            routes.on(kind, GET, get);
        }
        var count = new CountDocuments(finder, timeLimit);
        for (var kind :
                List.of(ResourceKind.COLLECTION_SIZE, ResourceKind.FILES_BUCKET_SIZE, ResourceKind.SCHEMA_STORE_SIZE)) {
            routes.on(kind, GET, count);
        }
    }

    private static void catalog(MongoRoutes routes, Catalog catalog, Metadata metadata) {
        routes.on(ResourceKind.ROOT, GET, new ListDatabases(catalog, metadata));
        routes.on(ResourceKind.ROOT_SIZE, GET, CountNames.ofDatabases(catalog));
        routes.on(ResourceKind.DB, GET, new ListCollections(catalog));
        routes.on(ResourceKind.DB_SIZE, GET, CountNames.ofCollections(catalog));
        routes.on(ResourceKind.COLLECTION_INDEXES, GET, new ListIndexes(catalog));
        var properties = new GetProperties();
        for (var kind : List.of(
                ResourceKind.DB_META,
                ResourceKind.COLLECTION_META,
                ResourceKind.FILES_BUCKET_META,
                ResourceKind.SCHEMA_STORE_META)) {
            routes.on(kind, GET, properties);
        }
    }
}
