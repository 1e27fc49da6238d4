package org.restheart.mongo;

import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.HEAD;
import static org.restheart.http.Method.POST;

import com.mongodb.client.MongoClient;
import java.util.List;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.aggregation.RunAdHocAggregation;
import org.restheart.mongo.aggregation.RunAggregation;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.document.CountDocuments;
import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.FindViolations;
import org.restheart.mongo.document.GetDocument;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.file.FileHandlers;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.management.Catalog;
import org.restheart.mongo.management.CatalogHandlers;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.resultcache.WriteCounters;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;

/// Adds the routes that only read. Used once, at start.
///
/// @param routes receives the handlers
/// @param finder for pages and violations; may use bookmarks, positioned cursors and cached results
/// @param documents runs queries directly on MongoDB
record ReadRoutes(
        MongoRoutes routes, MongoConfig config, Finder finder, DriverFinder documents, Continuations continuations) {

    /// Documents, metadata of files, and schemas: pages, single ones, and counts.
    void addDocuments(Coalescer coalescer) {
        var timeLimit = config.queryTimeLimit();
        var find = new FindDocuments(finder, documents, coalescer.pages(), continuations, timeLimit);
        for (var kind : List.of(ResourceKind.COLLECTION, ResourceKind.FILES_BUCKET, ResourceKind.SCHEMA_STORE)) {
            routes.on(kind, GET, find);
        }
        var get = new GetDocument(coalescer.lookups(documents), timeLimit);
        for (var kind : List.of(ResourceKind.DOCUMENT, ResourceKind.FILE, ResourceKind.SCHEMA)) {
            routes.on(kind, GET, get);
        }
        var count = new CountDocuments(documents, timeLimit);
        for (var kind :
                List.of(ResourceKind.COLLECTION_SIZE, ResourceKind.FILES_BUCKET_SIZE, ResourceKind.SCHEMA_STORE_SIZE)) {
            routes.on(kind, GET, count);
        }
    }

    /// Documents that violate a JSON Schema.
    void addViolations(Schemas schemas, SchemaAccess access) {
        routes.on(
                ResourceKind.COLLECTION_VIOLATIONS,
                GET,
                new FindViolations(finder, continuations, schemas, access, config.queryTimeLimit()));
    }

    /// The content of files.
    void addDownloads(MongoClient client) {
        var download = FileHandlers.download(new RequestCollections(client), documents, config.queryTimeLimit());
        routes.on(ResourceKind.FILE_BINARY, GET, download);
        routes.on(ResourceKind.FILE_BINARY, HEAD, download);
    }

    /// Pipelines of clients, and aggregations that collections declare.
    void addAggregations(PipelineInspection inspection, WriteCounters writes) {
        var timeLimit = config.aggregationTimeLimit();
        routes.on(ResourceKind.AGGREGATIONS, POST, new RunAdHocAggregation(documents, inspection, timeLimit));
        routes.on(
                ResourceKind.AGGREGATION,
                GET,
                new RunAggregation(documents, writes, inspection, config.interpolation(), timeLimit));
    }

    /// Names and properties of databases and collections, and indexes.
    void addCatalog(Catalog catalog, Metadata metadata) {
        var handlers = new CatalogHandlers(catalog, metadata);
        routes.on(ResourceKind.ROOT, GET, handlers::databases);
        routes.on(ResourceKind.ROOT_SIZE, GET, handlers::countDatabases);
        routes.on(ResourceKind.DB, GET, handlers::collections);
        routes.on(ResourceKind.DB_SIZE, GET, handlers::countCollections);
        routes.on(ResourceKind.COLLECTION_INDEXES, GET, handlers::indexes);
        for (var kind : List.of(
                ResourceKind.DB_META,
                ResourceKind.COLLECTION_META,
                ResourceKind.FILES_BUCKET_META,
                ResourceKind.SCHEMA_STORE_META)) {
            routes.on(kind, GET, handlers::properties);
        }
    }
}
