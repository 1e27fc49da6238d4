package org.restheart.rest.resource;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.data.Operation;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.OperationTable;

/// The allowed methods of each kind of resource, others being a `405`, and its CORS headers. Immutable.
public final class ResourceMethods {
    private static final String PLAIN = Cors.DEFAULT_HEADERS;
    private static final String IF_MATCH = PLAIN + ", If-Match";
    private static final String CONDITIONAL = IF_MATCH + ", If-None-Match";
    private static final Map<ResourceKind, ResourceMethods> ALL = new EnumMap<>(ResourceKind.class);

    static {
        for (var kind : ResourceKind.values()) {
            ALL.put(kind, new ResourceMethods(kind));
        }
    }

    private final String allowMethods;
    private final String allowHeaders;

    private ResourceMethods(ResourceKind kind) {
        this.allowMethods = Stream.of(GET, PUT, PATCH, POST, DELETE)
                .filter(method -> allows(kind, method))
                .map(Method::name)
                .collect(Collectors.joining(", "));
        this.allowHeaders = switch (kind) {
            case ROOT, ROOT_SIZE, COLLECTION_INDEXES, AGGREGATION, CHANGE_STREAM, FILE_BINARY, COLLECTION_VALIDATOR ->
                PLAIN;
            case DOCUMENT, FILE, SCHEMA -> CONDITIONAL;
            case AGGREGATIONS, INVALID -> "";
            default -> IF_MATCH;
        };
    }

    private static ResourceMethods of(ResourceKind kind) {
        return Objects.requireNonNull(ALL.get(kind));
    }

    public static boolean allows(ResourceKind kind, Method method) {
        return method == Method.HEAD
                ? kind == ResourceKind.FILE_BINARY
                : OperationTable.of(kind, method) != Operation.Other.NONE;
    }

    /// The CORS headers. A path for ad-hoc pipelines has none, as an invalid path.
    public static Cors cors(ResourceKind kind, Method method) {
        var known = kind == ResourceKind.AGGREGATIONS ? of(ResourceKind.INVALID) : of(kind);
        var expose = kind == ResourceKind.ROOT || kind == ResourceKind.AGGREGATIONS || kind == ResourceKind.INVALID
                ? ""
                : method == POST && hasLocations(kind) ? "Location, ETag" : "ETag";
        return new Cors(known.allowMethods, known.allowHeaders, expose);
    }

    private static boolean hasLocations(ResourceKind kind) {
        return kind.isCollection() || kind == ResourceKind.SESSIONS || kind == ResourceKind.TRANSACTIONS;
    }
}
