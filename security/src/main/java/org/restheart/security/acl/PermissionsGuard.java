package org.restheart.security.acl;

import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.DocumentCheck;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Nearest;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;

/// Stands in front of the data API for requests to the collection of permissions: what would never have an effect is
/// refused when it is written, instead of being left out with a line in the log.
///
/// @param database of the collection
public record PermissionsGuard(String database, String collection) implements Filter {
    private static final Set<String> KEYS = Set.of("roles", "predicate", "priority", "mongo");
    private static final Set<String> MONGO_KEYS = Set.of(
            "allowManagementRequests",
            "allowBulkPatch",
            "allowBulkDelete",
            "allowWriteMode",
            "allowAdHocAggregations",
            "readFilter",
            "writeFilter",
            "mergeRequest",
            "projectResponse",
            "checkWritten");

    @Override
    public Response filter(Request request, Handler next) {
        boolean concerned = !request.method().isSafe()
                && request.attribute(DataTarget.KEY)
                        .filter(target -> target.db().filter(database::equals).isPresent()
                                && target.collection()
                                        .filter(collection::equals)
                                        .isPresent())
                        .isPresent();
        if (!concerned) {
            return next.handle(request);
        }
        if (request.method() == Method.PATCH) {
            checkChange(request.require(RequestContent.KEY).value());
            return next.handle(request);
        }
        var others = request.attribute(DocumentCheck.KEY);
        return next.handle(request.with(DocumentCheck.KEY, documents -> {
            others.ifPresent(check -> check.check(documents));
            check(documents);
        }));
    }

    private static void check(List<? extends BsonDocument> documents) {
        for (var document : documents) {
            try {
                requireEffect(document);
            } catch (PermissionException e) {
                throw Problem.of(
                                ProblemCode.CONTENT_INVALID,
                                PermissionReader.placeOf(document) + " would have no effect: " + e.getMessage())
                        .raise();
            }
        }
    }

    /// What a change sets is looked at as if the rest were good: the whole is known to MongoDB alone.
    private static void checkChange(BsonValue content) {
        if (content instanceof BsonDocument change) {
            var permission = new BsonDocument("roles", new BsonArray(List.of(new BsonString("some"))))
                    .append("predicate", new BsonString("path('/')"));
            change.forEach((key, value) -> {
                if (key.equals("$set") && value instanceof BsonDocument fields) {
                    permission.putAll(fields);
                } else if (!key.startsWith("$")) {
                    permission.append(key, value);
                }
            });
            permission.keySet().removeIf(key -> key.contains("."));
            check(List.of(permission));
        }
    }

    private static void requireEffect(BsonDocument document) throws PermissionException {
        if (document.containsKey("role") && !document.containsKey("roles")) {
            throw new PermissionException("role is for files; here it is roles, a list of texts");
        }
        PermissionReader.ofDocument(document);
        requireSpelling(document, KEYS, "");
        if (document.get("mongo") instanceof BsonDocument mongo) {
            requireSpelling(mongo, MONGO_KEYS, "mongo.");
        }
    }

    /// Other keys are the author's own.
    private static void requireSpelling(BsonDocument document, Set<String> known, String prefix)
            throws PermissionException {
        for (var key : document.keySet()) {
            var near = known.contains(key) || key.startsWith("_")
                    ? null
                    : Nearest.to(key, known).orElse(null);
            if (near != null) {
                throw new PermissionException(prefix + key + " is unknown; did you mean " + prefix + near + "?");
            }
        }
    }
}
