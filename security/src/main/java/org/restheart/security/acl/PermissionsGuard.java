package org.restheart.security.acl;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Guard;
import org.restheart.http.Handler;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.acl.PermissionReader.PermissionKeys;
import org.restheart.security.predicate.PathWarnings;
import org.restheart.text.ShortText;

/// Refuses requests of the data API that would write invalid permissions. An invalid permission that is stored in
/// another way is ignored, with a warning in the log.
public record PermissionsGuard(ProtectedCollection permissions, Function<List<String>, Optional<String>> unreachable)
        implements Guard {
    /// Longer keys are truncated in warnings.
    private static final int MAX_QUOTED = 50;

    @Override
    public boolean concerns(Request request, DataTarget target) {
        return permissions.isTargetOf(target);
    }

    @Override
    public Response guard(Request request, DataTarget target, Handler next) {
        var asked = FoundWarnings.collecting(request);
        return switch (target.operation()) {
            case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE -> {
                checkChange(asked, request.require(RequestContent.KEY).value());
                yield next.handle(asked);
            }
            case Write _ -> {
                var others = request.attribute(DocumentCheck.KEY);
                yield next.handle(asked.with(DocumentCheck.KEY, documents -> {
                    others.ifPresent(check -> check.check(documents));
                    check(asked, documents);
                }));
            }
            case Read _, Structure _, Other _ -> next.handle(request);
        };
    }

    private void check(Request request, List<? extends BsonDocument> documents) {
        for (var document : documents) {
            try {
                var permission = requireEffect(document);
                for (var path : PathWarnings.of(permission.predicate(), unreachable)) {
                    FoundWarnings.add(request, path);
                }
                for (var warning : PermissionReader.warnings(document)) {
                    FoundWarnings.add(request, warning);
                }
                for (var key : PermissionKeys.withoutEffect(document)) {
                    FoundWarnings.add(request, ShortText.of(key, MAX_QUOTED) + " has no effect in a permission");
                }
            } catch (PermissionException e) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID,
                        PermissionReader.placeOf(document) + " would have no effect: " + e.getMessage());
            }
        }
    }

    /// Checks only the fields that a change sets, since the rest of the stored permission is not known here.
    private void checkChange(Request request, BsonValue content) {
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
            nest(permission);
            check(request, List.of(permission));
        }
    }

    /// Converts a dotted key such as `mongo.readFilter` to a field of `mongo`, and a path into a filter to a condition.
    /// Paths into the lists of `$or` and others are not checked further.
    private static void nest(BsonDocument permission) {
        var mongo = new BsonDocument();
        for (var key : List.copyOf(permission.keySet())) {
            var steps = key.split("\\.", 3);
            if (steps.length > 1) {
                var value = Objects.requireNonNull(permission.remove(key));
                if (steps[0].equals("mongo")) {
                    mongo.append(steps[1], steps.length == 2 ? value : inside(mongo.get(steps[1]), steps[2], value));
                } else {
                    permission.putIfAbsent(steps[0], BsonNull.VALUE);
                }
            }
        }
        if (!mongo.isEmpty()) {
            permission.putIfAbsent("mongo", mongo);
        }
    }

    private static BsonValue inside(@Nullable BsonValue others, String path, BsonValue value) {
        if (path.contains("$")) {
            return others == null ? BsonNull.VALUE : others;
        }
        var all = others instanceof BsonDocument object ? object.clone() : new BsonDocument();
        return all.append(path, value);
    }

    private static Permission requireEffect(BsonDocument document) throws PermissionException {
        if (document.containsKey("role") && !document.containsKey("roles")) {
            throw new PermissionException("role is for files; here it is roles, a list of texts");
        }
        var permission = PermissionReader.ofDocument(document);
        PermissionKeys.require(document, false);
        PermissionReader.checkGrant(document.get("mongo"));
        return permission;
    }
}
