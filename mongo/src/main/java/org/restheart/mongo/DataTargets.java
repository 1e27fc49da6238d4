package org.restheart.mongo;

import java.util.EnumSet;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Demand;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.resource.IdType;
import org.restheart.mongo.resource.ResourcePath;

/// Creates the [DataTarget] of a data request for access rules.
final class DataTargets {
    private DataTargets() {}

    static DataTarget of(Request request, ResourcePath path) {
        return new DataTarget(
                path.database(),
                Optional.ofNullable(path.collection()),
                id(request, path),
                path.kind(),
                demands(request, path));
    }

    /// Absent for a malformed id: the handler refuses such a request after the rules were evaluated.
    private static Optional<BsonValue> id(Request request, ResourcePath path) {
        if (path.kind() != ResourceKind.DOCUMENT && path.kind() != ResourceKind.FILE) {
            return Optional.empty();
        }
        try {
            var type = request.query().first("id_type").map(IdType::of).orElse(IdType.STRING_OID);
            return Optional.of(type.parse(path.requireName()));
        } catch (ProblemException _) {
            return Optional.empty();
        }
    }

    private static EnumSet<Demand> demands(Request request, ResourcePath path) {
        var demands = EnumSet.noneOf(Demand.class);
        if (isManagement(path.kind(), request.method())) {
            demands.add(Demand.MANAGEMENT);
        }
        if (path.kind() == ResourceKind.BULK_DOCUMENTS || path.kind() == ResourceKind.BULK_SCHEMAS) {
            if (request.method() == Method.PATCH) {
                demands.add(Demand.BULK_PATCH);
            } else if (request.method() == Method.DELETE) {
                demands.add(Demand.BULK_DELETE);
            }
        }
        if (path.kind() == ResourceKind.BULK_FILES && request.method() == Method.DELETE) {
            demands.add(Demand.BULK_DELETE);
        }
        if (path.kind() == ResourceKind.AGGREGATIONS && request.method() == Method.POST) {
            demands.add(Demand.AD_HOC_AGGREGATION);
        }
        if (!request.method().isSafe()
                && (request.query().has("wm") || request.query().has("writeMode"))) {
            demands.add(Demand.WRITE_MODE);
        }
        return demands;
    }

    private static boolean isManagement(ResourceKind kind, Method method) {
        if (method == Method.OPTIONS) {
            return false;
        }
        return switch (kind) {
            case DB -> method != Method.GET;
            case COLLECTION, FILES_BUCKET -> method != Method.GET && method != Method.POST;
            case COLLECTION_INDEXES,
                    INDEX,
                    SCHEMA_STORE,
                    SCHEMA_STORE_SIZE,
                    SCHEMA_STORE_META,
                    SCHEMA,
                    BULK_SCHEMAS,
                    DB_META,
                    COLLECTION_META,
                    FILES_BUCKET_META -> true;
            default -> false;
        };
    }
}
