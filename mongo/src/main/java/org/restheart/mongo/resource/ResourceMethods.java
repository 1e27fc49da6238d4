package org.restheart.mongo.resource;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;

/// The allowed methods of each kind of resource, others being a `405`, and its CORS headers. Immutable.
public final class ResourceMethods {
    private static final String PLAIN = Cors.DEFAULT_HEADERS;
    private static final String IF_MATCH = PLAIN + ", If-Match";
    private static final String CONDITIONAL = IF_MATCH + ", If-None-Match";
    private static final Map<ResourceKind, ResourceMethods> ALL = new EnumMap<>(ResourceKind.class);

    static {
        for (var kind : ResourceKind.values()) {
            ALL.put(kind, define(kind));
        }
    }

    private final Set<Method> methods;
    private final String allowMethods;
    private final String allowHeaders;

    private ResourceMethods(String allowHeaders, Method... methods) {
        this.methods = methods.length == 0 ? EnumSet.noneOf(Method.class) : EnumSet.copyOf(List.of(methods));
        this.allowMethods = Arrays.stream(methods).map(Method::name).collect(Collectors.joining(", "));
        this.allowHeaders = allowHeaders;
    }

    private static ResourceMethods define(ResourceKind kind) {
        return switch (kind) {
            case ROOT, ROOT_SIZE, COLLECTION_INDEXES, AGGREGATION, CHANGE_STREAM, FILE_BINARY ->
                new ResourceMethods(PLAIN, GET);
            case DB_SIZE,
                    DB_META,
                    COLLECTION_SIZE,
                    COLLECTION_META,
                    COLLECTION_VIOLATIONS,
                    FILES_BUCKET_SIZE,
                    FILES_BUCKET_META,
                    SCHEMA_STORE_SIZE,
                    SCHEMA_STORE_META -> new ResourceMethods(IF_MATCH, GET);
            case DB -> new ResourceMethods(IF_MATCH, GET, PUT, PATCH, DELETE);
            case COLLECTION, FILES_BUCKET, SCHEMA_STORE -> new ResourceMethods(IF_MATCH, GET, PUT, PATCH, POST, DELETE);
            case DOCUMENT, FILE -> new ResourceMethods(CONDITIONAL, GET, PUT, PATCH, DELETE);
            case COLLECTION_VALIDATOR -> new ResourceMethods(PLAIN, GET, PUT, DELETE);
            case SCHEMA -> new ResourceMethods(CONDITIONAL, GET, PUT, DELETE);
            case BULK_DOCUMENTS, BULK_SCHEMAS, TRANSACTION -> new ResourceMethods(IF_MATCH, PATCH, DELETE);
            case BULK_FILES, SESSION -> new ResourceMethods(IF_MATCH, DELETE);
            case INDEX -> new ResourceMethods(IF_MATCH, PUT, DELETE);
            case SESSIONS -> new ResourceMethods(IF_MATCH, POST);
            case TRANSACTIONS -> new ResourceMethods(IF_MATCH, GET, POST);
            case AGGREGATIONS -> new ResourceMethods("", POST);
            case INVALID -> new ResourceMethods("");
        };
    }

    private static ResourceMethods of(ResourceKind kind) {
        return Objects.requireNonNull(ALL.get(kind));
    }

    public static boolean allows(ResourceKind kind, Method method) {
        return of(kind).methods.contains(method) || (kind == ResourceKind.FILE_BINARY && method == Method.HEAD);
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

    /// Whether the method creates, changes or drops the database or collection itself, which must not depend on cached
    /// values.
    public static boolean isStructuralChange(ResourceKind kind, Method method) {
        return (kind == ResourceKind.DB || kind.isCollection()) && !method.isSafe() && method != POST;
    }

    /// Whether a write with the method may change what is described of the database.
    public static boolean changesDescription(ResourceKind kind, Method method) {
        return switch (kind) {
            case DB, INDEX, COLLECTION_VALIDATOR, SCHEMA_STORE, SCHEMA, BULK_SCHEMAS -> true;
            case COLLECTION, FILES_BUCKET -> method != POST;
            default -> false;
        };
    }

    /// Whether the method writes something that MongoDB does not write in transactions.
    public static boolean writesOutsideOfTransactions(ResourceKind kind, Method method) {
        return !method.isSafe()
                && switch (kind) {
                    case DB, INDEX, COLLECTION_VALIDATOR -> true;
                    case COLLECTION, FILES_BUCKET, SCHEMA_STORE -> method != POST;
                    default -> false;
                };
    }
}
