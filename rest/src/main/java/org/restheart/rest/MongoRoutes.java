package org.restheart.rest;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.OperationTable;
import org.restheart.rest.exchange.DataHandler;

/// The handlers by kind of resource and operation. Filled once at start by [MongoParts], not changed afterwards.
final class MongoRoutes {
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
