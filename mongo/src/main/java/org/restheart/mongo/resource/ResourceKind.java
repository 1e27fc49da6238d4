package org.restheart.mongo.resource;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.http.Cors;
import org.restheart.http.Method;

/// What a path of the data API can mean, and which methods each kind answers. Any other method is a `405`.
public enum ResourceKind {
    ROOT(Fields.PLAIN, GET),
    ROOT_SIZE(Fields.PLAIN, GET),
    DB(Fields.IF_MATCH, GET, PUT, PATCH, DELETE),
    DB_SIZE(Fields.IF_MATCH, GET),
    DB_META(Fields.IF_MATCH, GET),
    COLLECTION(Fields.IF_MATCH, GET, PUT, PATCH, POST, DELETE),
    COLLECTION_SIZE(Fields.IF_MATCH, GET),
    COLLECTION_META(Fields.IF_MATCH, GET),
    DOCUMENT(Fields.CONDITIONAL, GET, PUT, PATCH, DELETE),
    BULK_DOCUMENTS(Fields.IF_MATCH, PATCH, DELETE),
    COLLECTION_INDEXES(Fields.PLAIN, GET),
    INDEX(Fields.IF_MATCH, PUT, DELETE),
    /// A pipeline that the client gives. Browsers are told nothing of it, as of paths that mean nothing.
    AGGREGATIONS(Fields.NOTHING, POST),
    AGGREGATION(Fields.PLAIN, GET),
    CHANGE_STREAM(Fields.PLAIN, GET),
    FILES_BUCKET(Fields.IF_MATCH, GET, PUT, PATCH, POST, DELETE),
    FILES_BUCKET_SIZE(Fields.IF_MATCH, GET),
    FILES_BUCKET_META(Fields.IF_MATCH, GET),
    FILE(Fields.CONDITIONAL, GET, PUT, PATCH, DELETE),
    FILE_BINARY(Fields.PLAIN, GET),
    BULK_FILES(Fields.IF_MATCH, DELETE),
    SCHEMA_STORE(Fields.IF_MATCH, GET, PUT, PATCH, POST, DELETE),
    SCHEMA_STORE_SIZE(Fields.IF_MATCH, GET),
    SCHEMA_STORE_META(Fields.IF_MATCH, GET),
    SCHEMA(Fields.CONDITIONAL, GET, PUT, DELETE),
    BULK_SCHEMAS(Fields.IF_MATCH, PATCH, DELETE),
    SESSIONS(Fields.IF_MATCH, POST),
    SESSION(Fields.IF_MATCH, DELETE),
    TRANSACTIONS(Fields.IF_MATCH, GET, POST),
    TRANSACTION(Fields.IF_MATCH, PATCH, DELETE),
    /// A path that looks like one of the special resources but stands where there is none.
    INVALID(Fields.NOTHING);

    private static final Set<ResourceKind> EXPOSE_LOCATION =
            EnumSet.of(COLLECTION, FILES_BUCKET, SCHEMA_STORE, SESSIONS, TRANSACTIONS);

    @SuppressWarnings("ImmutableEnumChecker") // a private copy that nobody changes
    private final Set<Method> methods;

    private final String allowMethods;
    private final String allowHeaders;

    ResourceKind(String allowHeaders, Method... methods) {
        this.methods = methods.length == 0 ? EnumSet.noneOf(Method.class) : EnumSet.copyOf(List.of(methods));
        this.allowMethods = Arrays.stream(methods).map(Method::name).collect(Collectors.joining(", "));
        this.allowHeaders = allowHeaders;
    }

    public boolean allows(Method method) {
        return methods.contains(method) || (this == FILE_BINARY && method == Method.HEAD);
    }

    /// What browsers are told about this kind of resource.
    public Cors cors(Method method) {
        if (this == AGGREGATIONS) {
            return INVALID.cors(method);
        }
        var expose = this == ROOT || this == INVALID
                ? ""
                : method == POST && EXPOSE_LOCATION.contains(this) ? "Location, ETag" : "ETag";
        return new Cors(allowMethods, allowHeaders, expose);
    }

    /// Files and the collections they live in.
    public boolean isFiles() {
        return switch (this) {
            case FILES_BUCKET, FILES_BUCKET_SIZE, FILES_BUCKET_META, FILE, FILE_BINARY, BULK_FILES -> true;
            default -> false;
        };
    }

    /// Schemas and the collection they live in.
    public boolean isSchemas() {
        return switch (this) {
            case SCHEMA_STORE, SCHEMA_STORE_SIZE, SCHEMA_STORE_META, SCHEMA, BULK_SCHEMAS -> true;
            default -> false;
        };
    }

    /// Whether requests about it read or write documents, which sessions are for.
    public boolean holdsDocuments() {
        return switch (this) {
            case COLLECTION, COLLECTION_SIZE, DOCUMENT, BULK_DOCUMENTS, AGGREGATION -> true;
            case SCHEMA_STORE, SCHEMA_STORE_SIZE, SCHEMA, BULK_SCHEMAS -> true;
            case FILES_BUCKET, FILES_BUCKET_SIZE, FILE -> true;
            default -> false;
        };
    }

    /// Whether the method changes properties, which no cached value must decide.
    public boolean changesProperties(Method method) {
        return switch (this) {
            case DB, COLLECTION, FILES_BUCKET, SCHEMA_STORE -> !method.isSafe() && method != POST;
            default -> false;
        };
    }

    public boolean isMeta() {
        return this == DB_META || this == COLLECTION_META || this == FILES_BUCKET_META || this == SCHEMA_STORE_META;
    }

    /// Where constants can use it before the enum's own statics exist.
    private static final class Fields {
        static final String NOTHING = "";
        static final String PLAIN = Cors.DEFAULT_HEADERS;
        static final String IF_MATCH = PLAIN + ", If-Match";
        static final String CONDITIONAL = IF_MATCH + ", If-None-Match";
    }
}
