package org.restheart.mongo;

import java.util.EnumMap;
import java.util.Map;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.resource.ResourceMethods;

/// The handlers by kind of resource and method. Filled once at start by [MongoParts], not changed afterwards.
final class MongoRoutes {
    private final Map<ResourceKind, Map<Method, DataHandler>> handlers = new EnumMap<>(ResourceKind.class);

    void on(ResourceKind kind, Method method, DataHandler handler) {
        if (!ResourceMethods.allows(kind, method)) {
            throw new IllegalArgumentException(kind + " does not answer " + method);
        }
        handlers.computeIfAbsent(kind, _ -> new EnumMap<>(Method.class)).put(method, handler);
    }

    /// @throws IllegalStateException if a method that is allowed has no handler
    void requireAll() {
        for (var kind : ResourceKind.values()) {
            for (var method : Method.values()) {
                if (ResourceMethods.allows(kind, method)) {
                    find(kind, method);
                }
            }
        }
    }

    DataHandler find(ResourceKind kind, Method method) {
        var handler = handlers.getOrDefault(kind, Map.of()).get(method);
        if (handler == null) {
            throw new IllegalStateException(kind + " has no handler of " + method);
        }
        return handler;
    }
}
