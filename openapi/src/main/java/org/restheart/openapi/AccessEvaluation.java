package org.restheart.openapi;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.TimeSlices;
import org.restheart.http.access.Caller;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;
import org.restheart.openapi.VisibleResources.StoredSchema;
import org.restheart.rest.description.Descriptions;
import org.restheart.rest.description.Descriptions.CollectionStructure;
import org.restheart.rest.description.Descriptions.DatabaseStructure;
import org.restheart.rest.description.Shape;
import org.restheart.rest.description.Shapes;
import org.restheart.rest.schema.SchemaKey;
import org.restheart.rest.schema.SchemaReferences;

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

    /// @param db absent for all databases
    /// @param collection absent for a database
    record Scope(Optional<String> db, Optional<String> collection) {
        static final Scope EVERYTHING = new Scope(Optional.empty(), Optional.empty());
    }

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

    private List<Group> groups(Request asking, Options options, List<DatabaseStructure> structures) {
        var groups = new ArrayList<Group>();
        var slices = new TimeSlices();
        if (options.scope().equals(Scope.EVERYTHING)) {
            root(asking, options).ifPresent(groups::add);
        }
        for (var structure : structures) {
            var db = structure.name();
            if (options.scope().collection().isEmpty()) {
                database(asking, options, db).ifPresent(groups::add);
            }
            for (var collection : structure.collections()) {
                slices.step();
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
            Operations.CollectionPaths.below(collection).forEach((kind, paths) -> {
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

    /// Determines what a caller may know of the documents of visible collections: their shape by samples,
    /// indexes, and JSON Schemas. Thread-safe.
    private record DocumentDetails(
            OpenApiConfig config, Descriptions descriptions, Shapes shapes, JudgedRequests judged) {
        /// Adds the details of all collections. Waits for running samples, for the configured time in total.
        ///
        /// @throws ProblemException 5xx if the caller's rights cannot be determined now
        VisibleResources complete(Request asking, Options options, List<Group> groups) {
            var sampled = new LinkedHashMap<Group, CompletableFuture<Shape>>();
            var rights = new LinkedHashMap<Group, Access>();
            for (var group : groups) {
                rights(asking, options, group).ifPresent(found -> {
                    rights.put(group, found);
                    sampled.put(group, shapes.of(namespace(group), found, options.fresh()));
                });
            }
            long deadline = System.nanoTime() + config.sampleWait().toNanos();
            boolean pending = false;
            var complete = new ArrayList<Group>();
            var schemas = new ReadableSchemas(key -> options.unruled() || mayReadSchema(asking, key));
            for (var group : groups) {
                var shape = Shape.UNKNOWN;
                var coming = sampled.get(group);
                if (coming != null) {
                    var come = await(coming, deadline);
                    pending |= come.isEmpty();
                    shape = come.orElse(Shape.UNKNOWN);
                }
                complete.add(detailed(group, shape, Optional.ofNullable(rights.get(group)), schemas));
            }
            return new VisibleResources(complete, false, pending);
        }

        private static Optional<Shape> await(CompletableFuture<Shape> coming, long deadline) {
            try {
                return Optional.of(coming.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (TimeoutException _) {
                return Optional.empty();
            } catch (ExecutionException _) {
                return Optional.of(Shape.UNKNOWN);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        private static MongoNamespace namespace(Group group) {
            return new MongoNamespace(
                    group.db().orElseThrow(), group.collection().orElseThrow().name());
        }

        /// The read grant of a request of the caller for the documents; empty if it would be refused.
        private Optional<Access> rights(Request asking, Options options, Group group) {
            var kind = group.collection().map(CollectionStructure::kind).orElse(ResourceKind.ROOT);
            if (kind != ResourceKind.COLLECTION && kind != ResourceKind.FILES_BUCKET) {
                return Optional.empty();
            }
            if (options.unruled()) {
                return Optional.of(new Access.Root());
            }
            if (group.offered().stream()
                    .noneMatch(offered -> offered.operation().kind() == kind
                            && offered.operation().method() == Method.GET)) {
                return Optional.empty();
            }
            return judgedRights(asking, group.path());
        }

        private Optional<Access> judgedRights(Request asking, RequestPath path) {
            return JudgedRequests.unlessRefused(
                    () -> judged.facts(asking, JudgedRequest.of(Method.GET, path, Query.NONE, Via.REST))
                            .map(DataFacts::grant));
        }

        private Group detailed(Group group, Shape shape, Optional<Access> rights, ReadableSchemas schemas) {
            if (group.collection().isEmpty()) {
                return group;
            }
            boolean showsNames = group.offered().stream()
                    .anyMatch(offered -> offered.operation().kind() == ResourceKind.COLLECTION_INDEXES);
            List<BsonDocument> indexes = List.of();
            if (rights.isPresent() || showsNames) {
                var visibility = rights.flatMap(Access::projectResponse).map(Visibility::of);
                indexes = descriptions.indexes(namespace(group)).stream()
                        .filter(index -> index.get("key") instanceof BsonDocument keys
                                && visibility
                                        .map(shown -> shown.allowsKeys(keys)
                                                // the fields of a text index are not among its keys
                                                && shown.allowsKeys(index.getDocument("weights", new BsonDocument())))
                                        .orElse(true))
                        .toList();
            }
            return new Group(
                    group.path(),
                    group.db(),
                    group.collection(),
                    group.offered(),
                    shape,
                    indexes,
                    schemas.of(group.db().orElseThrow(), group.collection().get()),
                    showsNames);
        }

        private boolean mayReadSchema(Request asking, SchemaKey key) {
            return descriptions
                    .pathOf(asking.connection(), ResourceKind.SCHEMA, key.db(), "_schemas", key.idText())
                    .flatMap(path -> judgedRights(asking, path))
                    .filter(rights -> rights.readFilter().isEmpty())
                    .isPresent();
        }

        /// The JSON Schemas of the stores that a caller may read. Confined to one request.
        private final class ReadableSchemas {
            private final Predicate<SchemaKey> readable;
            private final Map<SchemaKey, Optional<BsonDocument>> known = new HashMap<>();

            ReadableSchemas(Predicate<SchemaKey> readable) {
                this.readable = readable;
            }

            /// The schema that the property `jsonSchema` of a collection names, with those to which it
            /// refers.
            Optional<StoredSchema> of(String db, CollectionStructure structure) {
                if (!(structure.properties().get("jsonSchema") instanceof BsonDocument reference)
                        || !reference.containsKey("schemaId")
                        || !SchemaKey.isId(reference.get("schemaId"))) {
                    return Optional.empty();
                }
                var key = new SchemaKey(BsonTexts.of(reference, "schemaStoreDb").orElse(db), reference.get("schemaId"));
                return find(key).map(schema -> {
                    var related = new TreeMap<String, BsonDocument>();
                    try {
                        SchemaReferences.all(key, schema, this::find)
                                .forEach((uri, found) -> found.ifPresent(other -> related.put(uri, other)));
                    } catch (ProblemException e) {
                        if (e.problem().code()
                                != ProblemCode.INTERNAL) { // of a schema with too many, which lets nothing in
                            throw e;
                        }
                    }
                    return new StoredSchema(key.uri(), schema, related);
                });
            }

            private Optional<BsonDocument> find(SchemaKey key) {
                return known.computeIfAbsent(
                        key,
                        _ -> readable.test(key)
                                ? Optional.ofNullable(descriptions
                                        .database(key.db())
                                        .schemas()
                                        .get(key.idText()))
                                : Optional.empty());
            }
        }
    }

    /// Whether rules may allow a caller anything, decided by the mounts and the rules alone: what is refused
    /// costs the same whatever there is in MongoDB. At least what is allowed is possible. Thread-safe.
    ///
    /// @param permissions asked without demands, which only refuse more
    record PossibleAccess(Descriptions descriptions, KindPermissions permissions) {
        private static final List<Method> METHODS =
                List.of(Method.GET, Method.POST, Method.PUT, Method.PATCH, Method.DELETE);

        private static final Segment SESSIONS = new Segment.Name("_sessions");

        /// The most segments behind a collection, such as `/_indexes/{index}`.
        private static final int DEEPEST = 2;

        /// The most segments behind `/_sessions`.
        private static final int DEEPEST_SESSION = 3;

        /// Whether there may be anything, sessions included, that the caller may do.
        boolean anywhere(Request asking) {
            return mayDo(
                    asking,
                    Stream.concat(
                            below(Optional.empty(), 2),
                            IntStream.rangeClosed(0, DEEPEST_SESSION)
                                    .mapToObj(more -> extended(List.of(SESSIONS), more))));
        }

        /// Whether there may be anything that the caller may do with a database or its collections.
        boolean in(Request asking, String db) {
            return mayDo(asking, below(Optional.of(db), 1));
        }

        /// The kinds of paths of collections, of what is below them, and of that in which they are.
        ///
        /// @param levels above collections
        private Stream<List<Segment>> below(Optional<String> db, int levels) {
            return descriptions.collectionPaths(db).stream()
                    .flatMap(kind -> Stream.concat(
                            IntStream.rangeClosed(Math.max(0, kind.size() - levels), kind.size())
                                    .mapToObj(size -> List.copyOf(kind.subList(0, size))),
                            IntStream.rangeClosed(1, DEEPEST).mapToObj(more -> extended(kind, more))));
        }

        private static List<Segment> extended(List<Segment> path, int more) {
            var longer = new ArrayList<>(path);
            for (int i = 0; i < more; i++) {
                longer.add(Segment.Unknown.ANY);
            }
            return List.copyOf(longer);
        }

        private boolean mayDo(Request asking, Stream<List<Segment>> paths) {
            return permissions.mayAllow(
                    asking,
                    paths.distinct()
                            .flatMap(path -> METHODS.stream()
                                    .map(method -> new RequestKind(method, path, Set.of(), true, Via.REST))));
        }
    }
}
