package org.restheart.openapi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonBoolean;
import org.restheart.data.Privilege;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.description.Descriptions.CollectionStructure;
import org.restheart.mongo.description.Descriptions.DatabaseStructure;
import org.restheart.mongo.description.Shape;
import org.restheart.mongo.description.Shapes;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;

/// Evaluates which operations a caller may perform on which resources. Thread-safe.
final class AccessEvaluation {
    private final OpenApiConfig config;
    private final Descriptions descriptions;
    private final KindPermissions permissions;
    private final PossibleAccess possible;
    private final DocumentDetails details;
    private final List<Pattern> excluded;

    AccessEvaluation(
            OpenApiConfig config,
            Descriptions descriptions,
            Shapes shapes,
            KindPermissions permissions,
            JudgedRequests judged) {
        this.config = config;
        this.descriptions = descriptions;
        this.permissions = permissions;
        this.possible = new PossibleAccess(descriptions, permissions);
        this.details = new DocumentDetails(config, descriptions, shapes, judged);
        this.excluded = config.exclude().stream()
                .map(pattern -> Pattern.compile(Arrays.stream(pattern.split("\\*", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*"))))
                .toList();
    }

    /// The scope of a document.
    ///
    /// @param db absent for all databases
    /// @param collection absent for a database
    record Scope(Optional<String> db, Optional<String> collection) {
        static final Scope EVERYTHING = new Scope(Optional.empty(), Optional.empty());
    }

    /// What a document contains.
    ///
    /// @param typed whether shapes of documents are needed
    /// @param fresh whether cached samples are ignored
    /// @param unruled whether access rules are ignored
    record Options(Scope scope, boolean typed, boolean fresh, boolean unruled) {}

    /// Whether the caller may do anything with some data. Costs the same whatever there is.
    boolean mayDoAnything(Request asking) {
        return possible.anywhere(asking);
    }

    /// The visible resources and operations. Blocks for MongoDB.
    ///
    /// @throws ProblemException 503 if that cannot be determined now
    VisibleResources visible(Request asking, Options options) {
        var databases = options.scope().db().map(List::of).orElseGet(descriptions::databases);
        var possibly = ComputeLimit.SHARED.compute(() -> databases.stream()
                .filter(db -> options.unruled() || possible.in(asking, db))
                .toList());
        var structures = possibly.stream().map(descriptions::database).toList();
        var groups = ComputeLimit.SHARED.compute(() -> groups(asking, options, structures));
        boolean generic = !options.typed()
                || groups.stream()
                                .filter(group -> group.collection().isPresent())
                                .count()
                        > config.maxCollections();
        return generic ? new VisibleResources(groups, true, false) : details.complete(asking, options, groups);
    }

    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is not preempted
    private List<Group> groups(Request asking, Options options, List<DatabaseStructure> structures) {
        var groups = new ArrayList<Group>();
        if (options.scope().equals(Scope.EVERYTHING)) {
            root(asking, options).ifPresent(groups::add);
        }
        for (var structure : structures) {
            var db = structure.name();
            if (options.scope().collection().isEmpty()) {
                database(asking, options, db).ifPresent(groups::add);
            }
            for (var collection : structure.collections()) {
                Thread.yield();
                if (options.scope().collection().map(collection.name()::equals).orElse(true)) {
                    collection(asking, options, db, collection).ifPresent(groups::add);
                }
            }
        }
        groups.removeIf(group -> group.offered().isEmpty());
        groups.sort(Comparator.comparing(group -> group.path().raw()));
        return groups;
    }

    private boolean isExcluded(RequestPath path) {
        return excluded.stream()
                .anyMatch(pattern -> pattern.matcher(path.decoded()).matches());
    }

    private Optional<RequestPath> pathOf(Request asking, ResourceKind kind, String... tokens) {
        return descriptions.pathOf(asking.connection(), kind, tokens).filter(path -> !isExcluded(path));
    }

    private Optional<Group> root(Request asking, Options options) {
        var offered = new ArrayList<Offered>();
        var path = pathOf(asking, ResourceKind.ROOT);
        path.ifPresent(found -> {
            offer(asking, options, ResourceKind.ROOT, found, List.of(), offered);
            offer(asking, options, ResourceKind.ROOT_SIZE, found, List.of("_size"), offered);
        });
        var sessions = RequestPath.of(List.of("_sessions"));
        if (descriptions
                .resolve(sessions, asking.connection())
                .filter(found -> found.kind() == ResourceKind.SESSIONS)
                .isPresent()) {
            offer(asking, options, ResourceKind.SESSIONS, sessions, List.of(), offered);
            offer(asking, options, ResourceKind.SESSION, sessions, List.of("{sid}"), offered);
            offer(asking, options, ResourceKind.TRANSACTIONS, sessions, List.of("{sid}", "_txns"), offered);
            offer(asking, options, ResourceKind.TRANSACTION, sessions, List.of("{sid}", "_txns", "{txn}"), offered);
        }
        return Optional.of(group(path.orElse(sessions), Optional.empty(), Optional.empty(), offered));
    }

    private Optional<Group> database(Request asking, Options options, String db) {
        return pathOf(asking, ResourceKind.DB, db).map(path -> {
            var offered = new ArrayList<Offered>();
            offer(asking, options, ResourceKind.DB, path, List.of(), offered);
            offer(asking, options, ResourceKind.DB_SIZE, path, List.of("_size"), offered);
            offer(asking, options, ResourceKind.DB_META, path, List.of("_meta"), offered);
            return group(path, Optional.of(db), Optional.empty(), offered);
        });
    }

    private static Group group(
            RequestPath path, Optional<String> db, Optional<CollectionStructure> collection, List<Offered> offered) {
        return new Group(path, db, collection, List.copyOf(offered), Shape.UNKNOWN, List.of(), Optional.empty(), false);
    }

    private Optional<Group> collection(Request asking, Options options, String db, CollectionStructure collection) {
        if (BsonBoolean.FALSE.equals(collection.properties().get("openapi"))) {
            return Optional.empty();
        }
        return pathOf(asking, collection.kind(), db, collection.name()).map(path -> {
            var offered = new ArrayList<Offered>();
            CollectionPaths.below(collection).forEach((kind, paths) -> {
                for (var segments : paths) {
                    offer(asking, options, kind, path, segments, offered);
                }
            });
            return group(path, Optional.of(db), Optional.of(collection), offered);
        });
    }

    /// @param segments the rest of the path; one in braces is unknown
    private void offer(
            Request asking,
            Options options,
            ResourceKind kind,
            RequestPath base,
            List<String> segments,
            List<Offered> offered) {
        var path = new ArrayList<>(RequestKind.segments(base));
        var shown = new StringBuilder(base.raw().equals("/") ? "" : base.raw());
        for (var segment : segments) {
            boolean unknown = segment.startsWith("{") && segment.endsWith("}");
            path.add(
                    unknown
                            ? new Segment.Unknown(segment.equals("{id}") ? DataPaths.RESERVED : Set.of())
                            : new Segment.Name(segment));
            shown.append('/')
                    .append(
                            unknown || segment.equals("*")
                                    ? segment
                                    : RequestPath.of(List.of(segment)).raw().substring(1));
        }
        var named = kind == ResourceKind.AGGREGATION || kind == ResourceKind.CHANGE_STREAM;
        for (var operation : Operations.of(kind)) {
            var demands = RequestKind.demands(kind, operation.method());
            var permitted = permitted(asking, options, operation.method(), path, demands);
            if (permitted.decision() != Decision.NEVER) {
                var writing = EnumSet.of(Privilege.WRITE_MODE);
                writing.addAll(demands);
                offered.add(new Offered(
                        operation,
                        shown.isEmpty() ? "/" : shown.toString(),
                        named ? segments.getLast() : "",
                        permitted,
                        operation.writes() && may(asking, options, operation.method(), path, writing),
                        asking.caller().account().isEmpty()
                                || may(asking.with(Caller.ANONYMOUS), options, operation.method(), path, demands)));
            }
        }
    }

    private boolean may(Request asking, Options options, Method method, List<Segment> path, Set<Privilege> demands) {
        return permitted(asking, options, method, path, demands).decision() != Decision.NEVER;
    }

    private Permitted permitted(
            Request asking, Options options, Method method, List<Segment> path, Set<Privilege> demands) {
        var kind = new RequestKind(method, path, demands, true, Via.REST);
        if (options.unruled()) {
            var all = List.of(RuleDecision.of("everything", Decision.ALWAYS));
            return Permitted.by(permissions.reachesData(kind) ? all : List.of());
        }
        return permissions.ask(asking, kind);
    }
}
