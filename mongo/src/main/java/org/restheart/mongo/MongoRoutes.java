package org.restheart.mongo;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.Method;
import org.restheart.mongo.document.FindDocuments;
import org.restheart.mongo.document.GetDocument;
import org.restheart.mongo.resource.ResourceKind;

/// Which handler answers which method of which kind of resource. Immutable.
final class MongoRoutes {
    private final Map<ResourceKind, Map<Method, DataHandler>> handlers = new EnumMap<>(ResourceKind.class);

    MongoRoutes(Collections collections, MongoConfig config) {
        on(ResourceKind.COLLECTION, Method.GET, new FindDocuments(collections, config));
        on(ResourceKind.DOCUMENT, Method.GET, new GetDocument(collections, config));
    }

    private void on(ResourceKind kind, Method method, DataHandler handler) {
        if (!kind.allows(method)) {
            throw new IllegalArgumentException(kind + " does not answer " + method);
        }
        handlers.computeIfAbsent(kind, _ -> new EnumMap<>(Method.class)).put(method, handler);
    }

    Optional<DataHandler> find(ResourceKind kind, Method method) {
        return Optional.ofNullable(handlers.getOrDefault(kind, Map.of()).get(method));
    }
}
