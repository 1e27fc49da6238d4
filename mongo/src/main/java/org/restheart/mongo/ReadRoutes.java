package org.restheart.mongo;

import static org.restheart.http.Method.GET;

import java.util.List;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.document.CountDocuments;
import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.GetDocument;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.resource.ResourceKind;

/// Everything that only reads.
final class ReadRoutes {
    private ReadRoutes() {}

    static void addTo(MongoRoutes routes, Finder finder, Coalescer coalescer, MongoConfig config) {
        var find = new FindDocuments(finder, coalescer.pages(), config);
        for (var kind : List.of(ResourceKind.COLLECTION, ResourceKind.FILES_BUCKET, ResourceKind.SCHEMA_STORE)) {
            routes.on(kind, GET, find);
        }
        var get = new GetDocument(coalescer.lookups(finder), config);
        for (var kind : List.of(ResourceKind.DOCUMENT, ResourceKind.FILE, ResourceKind.SCHEMA)) {
            routes.on(kind, GET, get);
        }
        var count = new CountDocuments(finder, config);
        for (var kind :
                List.of(ResourceKind.COLLECTION_SIZE, ResourceKind.FILES_BUCKET_SIZE, ResourceKind.SCHEMA_STORE_SIZE)) {
            routes.on(kind, GET, count);
        }
    }
}
