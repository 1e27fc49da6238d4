package org.restheart.mongo;

import static org.restheart.http.Method.GET;

import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.GetDocument;
import org.restheart.mongo.resource.ResourceKind;

/// Everything that only reads.
final class ReadRoutes {
    private ReadRoutes() {}

    static void addTo(MongoRoutes routes, Collections collections, MongoConfig config) {
        routes.on(ResourceKind.COLLECTION, GET, new FindDocuments(collections, config));
        routes.on(ResourceKind.DOCUMENT, GET, new GetDocument(collections, config));
    }
}
