package org.restheart.mongo;

import java.util.EnumSet;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Demand;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.RequestKind;
import org.restheart.mongo.exchange.Plans;
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
        if (!path.kind().hasId()) {
            return Optional.empty();
        }
        try {
            var type = request.query().first("id_type").map(IdType::of).orElse(IdType.STRING_OID);
            return Optional.of(type.parse(path.requireName()));
        } catch (ProblemException _) {
            return Optional.empty();
        }
    }

    private static boolean isExplained(ResourceKind kind) {
        return kind == ResourceKind.COLLECTION || kind == ResourceKind.FILES_BUCKET || kind == ResourceKind.AGGREGATION;
    }

    private static EnumSet<Demand> demands(Request request, ResourcePath path) {
        var demands = RequestKind.demands(path.kind(), request.method());
        if (!request.method().isSafe() && request.query().has(request.query().used("wm"))) {
            demands.add(Demand.WRITE_MODE);
        }
        if (request.query().has(Plans.PARAMETER) && isExplained(path.kind())) {
            demands.add(Demand.MANAGEMENT);
        }
        return demands;
    }
}
