package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.description.Descriptions.DatabaseStructure;

/// The databases and collections that a caller may access, and the services: each operation with `yes`, `no` or
/// `depends`. Resources without any permitted operation are left out. Thread-safe.
///
/// @param own the collections of `accounts` and of `permissions`, by full name
/// @param services paths of services other than the data API, by name
record AccessOverview(
        Descriptions descriptions,
        KindPermissions permissions,
        PossibleAccess possible,
        Map<String, String> own,
        Map<String, String> services) {
    private static final Segment ANY = new Segment.Unknown(DataPaths.RESERVED);

    /// What the caller of a request may access. Blocks for metadata.
    ///
    /// @param account of the caller; without a name if only its roles matter
    BsonDocument of(Request asking, Account account) {
        return new BsonDocument("account", account.name().isEmpty() ? BsonNull.VALUE : new BsonString(account.name()))
                .append("roles", BsonTexts.array(account.roles()))
                .append("resources", resources(asking))
                .append("services", services(asking));
    }

    private BsonArray resources(Request asking) {
        var databases = descriptions.databases();
        var possibly = ComputeLimit.SHARED.compute(
                () -> databases.stream().filter(db -> possible.in(asking, db)).toList());
        var structures = possibly.stream().map(descriptions::database).toList();
        return ComputeLimit.SHARED.compute(() -> resources(asking, structures));
    }

    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is not preempted
    private BsonArray resources(Request asking, List<DatabaseStructure> structures) {
        var found = new BsonArray();
        for (var structure : structures) {
            var db = structure.name();
            descriptions
                    .pathOf(asking.connection(), ResourceKind.DB, db)
                    .flatMap(path -> resource(path, "database", "", databaseOperations(asking, path)))
                    .ifPresent(found::add);
            for (var collection : structure.collections()) {
                Thread.yield();
                descriptions
                        .pathOf(asking.connection(), collection.kind(), db, collection.name())
                        .flatMap(path -> resource(
                                path,
                                kind(collection.kind()),
                                own.getOrDefault(db + "." + collection.name(), ""),
                                collectionOperations(asking, path, collection.kind())))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    private static String kind(ResourceKind kind) {
        return switch (kind) {
            case FILES_BUCKET -> "bucket";
            case SCHEMA_STORE -> "schemas";
            default -> "collection";
        };
    }

    /// Empty if nothing is permitted.
    private static Optional<BsonValue> resource(
            RequestPath path, String kind, String holds, Map<String, Decision> operations) {
        if (operations.values().stream().allMatch(answer -> answer == Decision.NEVER)) {
            return Optional.empty();
        }
        var values = new BsonDocument();
        operations.forEach((name, answer) -> values.append(name, text(answer)));
        var found = object("path", path.decoded(), "segments", path.segments(), "kind", kind);
        if (!holds.isEmpty()) {
            found.append("holds", new BsonString(holds));
        }
        return Optional.of(found.append("operations", values));
    }

    private static BsonString text(Decision answer) {
        return new BsonString(
                switch (answer) {
                    case ALWAYS -> "yes";
                    case NEVER -> "no";
                    case DEPENDS -> "depends";
                });
    }

    private Map<String, Decision> databaseOperations(Request asking, RequestPath path) {
        var operations = new LinkedHashMap<String, Decision>();
        operations.put("read", ask(asking, ResourceKind.DB, Method.GET, path));
        operations.put("manage", ask(asking, ResourceKind.DB, Method.PUT, path));
        return operations;
    }

    private Map<String, Decision> collectionOperations(Request asking, RequestPath path, ResourceKind kind) {
        var document = kind == ResourceKind.FILES_BUCKET
                ? ResourceKind.FILE
                : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.SCHEMA : ResourceKind.DOCUMENT;
        var bulk = kind == ResourceKind.FILES_BUCKET
                ? ResourceKind.BULK_FILES
                : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.BULK_SCHEMAS : ResourceKind.BULK_DOCUMENTS;
        var all = new Segment.Name("*");
        var operations = new LinkedHashMap<String, Decision>();
        operations.put("read", ask(asking, kind, Method.GET, path));
        operations.put("create", ask(asking, kind, Method.POST, path));
        operations.put("update", ask(asking, document, Method.PATCH, path, ANY));
        operations.put("delete", ask(asking, document, Method.DELETE, path, ANY));
        operations.put("bulkUpdate", ask(asking, bulk, Method.PATCH, path, all));
        operations.put("bulkDelete", ask(asking, bulk, Method.DELETE, path, all));
        operations.put("manage", ask(asking, kind, Method.PUT, path));
        if (kind == ResourceKind.COLLECTION) {
            var aggregations = new Segment.Name("_aggrs");
            operations.put("aggregate", ask(asking, ResourceKind.AGGREGATIONS, Method.POST, path, aggregations));
            operations.put(
                    "stream",
                    ask(asking, ResourceKind.CHANGE_STREAM, Method.GET, path, new Segment.Name("_streams"), ANY));
        }
        return operations;
    }

    private Decision ask(Request asking, ResourceKind kind, Method method, RequestPath path, Segment... below) {
        var segments = new ArrayList<>(RequestKind.segments(path));
        segments.addAll(List.of(below));
        var requests = new RequestKind(method, segments, RequestKind.demands(kind, method), true, Via.REST);
        return permissions.ask(asking, requests).decision();
    }

    private BsonDocument services(Request asking) {
        var values = new BsonDocument();
        services.forEach((name, uri) -> {
            var kind = RequestKind.of(Method.GET, RequestPath.parse(uri), Set.of(), false);
            values.append(name, text(permissions.ask(asking, kind).decision()));
        });
        return values;
    }
}
