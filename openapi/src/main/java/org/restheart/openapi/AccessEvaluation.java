package org.restheart.openapi;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.access.Demand;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.DataFacts;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.CollectionStructure;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.description.Shape;
import org.restheart.mongo.description.Shapes;
import org.restheart.mongo.reading.ReadRights;
import org.restheart.openapi.Visible.Group;
import org.restheart.openapi.Visible.Offered;

/// Evaluates what a caller may do with which resources. Thread-safe.
final class AccessEvaluation {
    private final OpenApiConfig config;
    private final Descriptions descriptions;
    private final Shapes shapes;
    private final KindPermissions permissions;
    private final JudgedRequests judged;
    private final List<Pattern> excluded;

    AccessEvaluation(
            OpenApiConfig config,
            Descriptions descriptions,
            Shapes shapes,
            KindPermissions permissions,
            JudgedRequests judged) {
        this.config = config;
        this.descriptions = descriptions;
        this.shapes = shapes;
        this.permissions = permissions;
        this.judged = judged;
        this.excluded = config.exclude().stream()
                .map(pattern -> Pattern.compile(java.util.Arrays.stream(pattern.split("\\*", -1))
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

    /// @param typed whether shapes of documents are needed
    /// @param fresh whether cached samples are ignored
    /// @param unruled whether access rules are ignored
    record Wish(Scope scope, boolean typed, boolean fresh, boolean unruled) {}

    /// May block for MongoDB.
    ///
    /// @throws ProblemException 503
    Visible visible(Request asking, Wish wish) {
        var groups = new ArrayList<Group>();
        if (wish.scope().equals(Scope.EVERYTHING)) {
            root(asking, wish).ifPresent(groups::add);
        }
        var databases = wish.scope().db().map(List::of).orElseGet(descriptions::databases);
        for (var db : databases) {
            if (wish.scope().collection().isEmpty()) {
                database(asking, wish, db).ifPresent(groups::add);
            }
            for (var collection : descriptions.database(db).collections()) {
                if (wish.scope().collection().map(collection.name()::equals).orElse(true)) {
                    collection(asking, wish, db, collection).ifPresent(groups::add);
                }
            }
        }
        groups.removeIf(group -> group.offered().isEmpty());
        groups.sort(java.util.Comparator.comparing(group -> group.path().raw()));
        boolean generic = !wish.typed()
                || groups.stream()
                                .filter(group -> group.collection().isPresent())
                                .count()
                        > config.maxCollections();
        return generic ? new Visible(groups, false) : shaped(asking, wish, groups);
    }

    private boolean isExcluded(RequestPath path) {
        return excluded.stream()
                .anyMatch(pattern -> pattern.matcher(path.decoded()).matches());
    }

    /// The path, if it resolves to the expected resource.
    private Optional<RequestPath> pathOf(Request asking, ResourceKind kind, String... tokens) {
        return descriptions
                .pathOf(asking.connection(), tokens)
                .filter(path -> !isExcluded(path))
                .filter(path -> descriptions
                        .resolve(path, asking.connection())
                        .filter(found -> found.kind() == kind
                                && (tokens.length < 1 || tokens[0].equals(found.db()))
                                && (tokens.length < 2 || tokens[1].equals(found.collection())))
                        .isPresent());
    }

    private Optional<Group> root(Request asking, Wish wish) {
        var offered = new ArrayList<Offered>();
        var path = pathOf(asking, ResourceKind.ROOT);
        path.ifPresent(found -> {
            offer(asking, wish, ResourceKind.ROOT, found, List.of(), offered);
            offer(asking, wish, ResourceKind.ROOT_SIZE, found, List.of("_size"), offered);
        });
        var sessions = RequestPath.of(List.of("_sessions"));
        if (descriptions
                .resolve(sessions, asking.connection())
                .filter(found -> found.kind() == ResourceKind.SESSIONS)
                .isPresent()) {
            offer(asking, wish, ResourceKind.SESSIONS, sessions, List.of(), offered);
            offer(asking, wish, ResourceKind.SESSION, sessions, List.of("{sid}"), offered);
            offer(asking, wish, ResourceKind.TRANSACTIONS, sessions, List.of("{sid}", "_txns"), offered);
            offer(asking, wish, ResourceKind.TRANSACTION, sessions, List.of("{sid}", "_txns", "{txn}"), offered);
        }
        return Optional.of(group(path.orElse(sessions), Optional.empty(), Optional.empty(), offered));
    }

    private Optional<Group> database(Request asking, Wish wish, String db) {
        return pathOf(asking, ResourceKind.DB, db).map(path -> {
            var offered = new ArrayList<Offered>();
            offer(asking, wish, ResourceKind.DB, path, List.of(), offered);
            offer(asking, wish, ResourceKind.DB_SIZE, path, List.of("_size"), offered);
            offer(asking, wish, ResourceKind.DB_META, path, List.of("_meta"), offered);
            return group(path, Optional.of(db), Optional.empty(), offered);
        });
    }

    private static Group group(
            RequestPath path, Optional<String> db, Optional<CollectionStructure> collection, List<Offered> offered) {
        return new Group(path, db, collection, List.copyOf(offered), Shape.UNKNOWN, List.of(), Optional.empty(), false);
    }

    private Optional<Group> collection(Request asking, Wish wish, String db, CollectionStructure collection) {
        if (BsonBoolean.FALSE.equals(collection.properties().get("openapi"))) {
            return Optional.empty();
        }
        return pathOf(asking, collection.kind(), db, collection.name()).map(path -> {
            var offered = new ArrayList<Offered>();
            CollectionPaths.below(collection).forEach((kind, paths) -> {
                for (var segments : paths) {
                    offer(asking, wish, kind, path, segments, offered);
                }
            });
            return group(path, Optional.of(db), Optional.of(collection), offered);
        });
    }

    /// @param segments the rest of the path; one in braces is unknown
    private void offer(
            Request asking,
            Wish wish,
            ResourceKind kind,
            RequestPath base,
            List<String> segments,
            List<Offered> offered) {
        var path = new ArrayList<Segment>();
        base.segments().forEach(segment -> path.add(new Segment.Name(segment)));
        var shown = new StringBuilder(base.raw().equals("/") ? "" : base.raw());
        for (var segment : segments) {
            boolean unknown = segment.startsWith("{") && segment.endsWith("}");
            path.add(
                    unknown
                            ? new Segment.Unknown(segment.equals("{id}") ? CollectionPaths.RESERVED : Set.of())
                            : new Segment.Name(segment));
            shown.append('/')
                    .append(
                            unknown || segment.equals("*")
                                    ? segment
                                    : RequestPath.of(List.of(segment)).raw().substring(1));
        }
        for (var operation : Operations.of(kind)) {
            var demands = descriptions.demands(kind, operation.method());
            var permitted = permitted(asking, wish, operation.method(), path, demands);
            if (permitted.answer() != Answer.NEVER) {
                var writing = EnumSet.of(Demand.WRITE_MODE);
                writing.addAll(demands);
                boolean writeMode = operation.writes()
                        && permitted(asking, wish, operation.method(), path, writing)
                                        .answer()
                                != Answer.NEVER;
                var anonymous = asking.with(Caller.ANONYMOUS);
                offered.add(new Offered(
                        operation,
                        shown.isEmpty() ? "/" : shown.toString(),
                        kind == ResourceKind.AGGREGATION || kind == ResourceKind.CHANGE_STREAM
                                ? segments.getLast()
                                : "",
                        permitted,
                        writeMode,
                        asking.caller().account().isEmpty()
                                || permitted(anonymous, wish, operation.method(), path, demands)
                                                .answer()
                                        != Answer.NEVER));
            }
        }
    }

    private Permitted permitted(Request asking, Wish wish, Method method, List<Segment> path, Set<Demand> demands) {
        if (wish.unruled()) {
            return Permitted.by(List.of(RuleAnswer.of("everything", Answer.ALWAYS)));
        }
        return permissions.ask(asking, new RequestKind(method, path, demands, true, Via.REST));
    }

    /// Adds the shapes of documents. Waits for running samples, for the configured time in total.
    private Visible shaped(Request asking, Wish wish, List<Group> groups) {
        var sampled = new LinkedHashMap<Group, CompletableFuture<Shape>>();
        var rights = new LinkedHashMap<Group, ReadRights>();
        for (var group : groups) {
            rights(asking, wish, group).ifPresent(found -> {
                rights.put(group, found);
                sampled.put(group, shapes.of(namespace(group), found, wish.fresh()));
            });
        }
        long deadline = System.nanoTime() + config.sampleWait().toNanos();
        boolean pending = false;
        var complete = new ArrayList<Group>();
        for (var group : groups) {
            var shape = Shape.UNKNOWN;
            var coming = sampled.get(group);
            if (coming != null) {
                var come = await(coming, deadline);
                pending |= come.isEmpty();
                shape = come.orElse(Shape.UNKNOWN);
            }
            complete.add(detailed(asking, wish, group, shape, Optional.ofNullable(rights.get(group))));
        }
        return new Visible(complete, pending);
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
    private Optional<ReadRights> rights(Request asking, Wish wish, Group group) {
        var kind = group.collection().map(CollectionStructure::kind).orElse(ResourceKind.ROOT);
        if (kind != ResourceKind.COLLECTION && kind != ResourceKind.FILES_BUCKET) {
            return Optional.empty();
        }
        if (wish.unruled()) {
            return Optional.of(ReadRights.ALL);
        }
        if (group.offered().stream()
                .noneMatch(offered -> offered.operation().kind() == kind
                        && offered.operation().method() == Method.GET)) {
            return Optional.empty();
        }
        return judgedRights(asking, group.path());
    }

    private Optional<ReadRights> judgedRights(Request asking, RequestPath path) {
        var rights = new AtomicReference<ReadRights>();
        try {
            judged.make(
                    asking,
                    JudgedRequest.of(Method.GET, path, Query.NONE, Via.REST)
                            .with(DataFacts.ASKED, facts -> rights.set(ReadRights.of(facts.grant()))));
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
        }
        return Optional.ofNullable(rights.get());
    }

    private Group detailed(Request asking, Wish wish, Group group, Shape shape, Optional<ReadRights> rights) {
        if (group.collection().isEmpty()) {
            return group;
        }
        var structure = group.collection().get();
        boolean showsNames = group.offered().stream()
                .anyMatch(offered -> offered.operation().kind() == ResourceKind.COLLECTION_INDEXES);
        List<BsonDocument> indexes = List.of();
        if (rights.isPresent() || showsNames) {
            var visibility = rights.flatMap(ReadRights::projection).map(Visibility::of);
            indexes = descriptions.indexes(namespace(group)).stream()
                    .filter(index -> index.get("key") instanceof BsonDocument keys
                            && visibility.map(shown -> shown.allowsKeys(keys)).orElse(true))
                    .toList();
        }
        return new Group(
                group.path(),
                group.db(),
                group.collection(),
                group.offered(),
                shape,
                indexes,
                schema(asking, wish, group.db().orElseThrow(), structure),
                showsNames);
    }

    /// The schema that the property `jsonSchema` names, if the caller may read it.
    private Optional<BsonDocument> schema(Request asking, Wish wish, String db, CollectionStructure structure) {
        if (!(structure.properties().get("jsonSchema") instanceof BsonDocument reference)) {
            return Optional.empty();
        }
        var store = reference.get("schemaStoreDb") instanceof BsonString other ? other.getValue() : db;
        var id = reference.get("schemaId");
        var text = id instanceof BsonString name
                ? name.getValue()
                : id != null && id.isObjectId() ? id.asObjectId().getValue().toHexString() : "";
        return wish.unruled() || mayReadSchema(asking, store, text)
                ? Optional.ofNullable(descriptions.database(store).schemas().get(text))
                : Optional.empty();
    }

    private boolean mayReadSchema(Request asking, String db, String id) {
        return descriptions
                .pathOf(asking.connection(), db, "_schemas", id)
                .filter(path -> descriptions
                        .resolve(path, asking.connection())
                        .filter(found -> found.kind() == ResourceKind.SCHEMA && db.equals(found.db()))
                        .isPresent())
                .flatMap(path -> judgedRights(asking, path))
                .filter(rights -> rights.readFilter().isEmpty())
                .isPresent();
    }
}
