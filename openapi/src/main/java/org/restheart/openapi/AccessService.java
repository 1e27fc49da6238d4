package org.restheart.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.Explanations;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.DatabaseStructure;
import org.restheart.mongo.description.Descriptions;

/// `GET /_access`: the databases and collections that the caller may access, each operation with one of three
/// values: `yes`, `no`, or `depends` if the query, the content or the id decides. Resources without any
/// permitted operation are not listed. Below it, `POST check` evaluates one request, and `POST parse` validates
/// a permission. Thread-safe.
public final class AccessService implements Service {
    private static final Segment ANY = new Segment.Unknown(CollectionPaths.RESERVED);

    private static final int MAX_CONTENT = 1 << 20;

    private final Surroundings surroundings;
    private final Descriptions descriptions;
    private final KindPermissions permissions;
    private final PossibleAccess possible;
    private final AccessChecks checks;

    /// Properties and functions of the server.
    ///
    /// @param depth segments of the service's path
    /// @param rootRole the role that may query permissions of others and the contents of access rules
    /// @param services paths of services other than the data API, by name
    /// @param own the collections of `accounts` and of `permissions`, by full name
    /// @param accounts an account by its name; may block
    /// @param syntax whether a permission can be parsed
    /// @param challenge the response to anonymous callers without permissions
    public record Surroundings(
            int depth,
            Optional<String> rootRole,
            Map<String, String> services,
            Map<String, String> own,
            BiFunction<Request, String, Optional<Account>> accounts,
            UnaryOperator<BsonDocument> syntax,
            Function<Request, Problem> challenge) {
        public Surroundings {
            services = Map.copyOf(services);
            own = Map.copyOf(own);
        }
    }

    public AccessService(
            Descriptions descriptions,
            KindPermissions permissions,
            Explanations explanations,
            Surroundings surroundings) {
        this.descriptions = descriptions;
        this.permissions = permissions;
        this.possible = new PossibleAccess(descriptions, permissions);
        this.checks = new AccessChecks(explanations);
        this.surroundings = surroundings;
    }

    @Override
    public String name() {
        return "access";
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, POST", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        var below = request.path().segments();
        below = below.subList(Math.min(surroundings.depth(), below.size()), below.size());
        var account = request.caller().account();
        if (account.isEmpty()) {
            throw surroundings.challenge().apply(request).raise();
        }
        return switch (String.join("/", below)) {
            case "" -> {
                require(request, Method.GET);
                yield json(overview(request, account.get()));
            }
            case "check" -> {
                require(request, Method.POST);
                yield json(check(request, account.get()));
            }
            case "parse" -> {
                require(request, Method.POST);
                yield json(
                        ComputeLimit.SHARED.compute(() -> surroundings.syntax().apply(content(request))));
            }
            default -> throw Problem.bare(ProblemCode.NOT_FOUND).raise();
        };
    }

    private static void require(Request request, Method method) {
        if (request.method() != method) {
            throw Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed")
                    .with("Allow", (method == Method.GET ? "GET, HEAD" : method) + ", OPTIONS")
                    .raise();
        }
    }

    private static Response json(BsonDocument answer) {
        return Response.json(200, JsonEncoder.of(JsonMode.DEFAULT).encodeToString(answer))
                .with("Cache-Control", "private, no-store");
    }

    private static BsonDocument content(Request request) {
        if (request.body().length() > MAX_CONTENT) {
            throw Problem.of(ProblemCode.CONTENT_TOO_LARGE, "at most " + MAX_CONTENT + " bytes")
                    .raise();
        }
        try {
            return JsonParser.parseDocument(request.body().bytes());
        } catch (MalformedJsonException e) {
            throw Problem.of(ProblemCode.CONTENT_INVALID, "a JSON object is expected: " + e.getMessage())
                    .raise();
        }
    }

    private BsonDocument overview(Request request, Account account) {
        var query = request.query();
        var asking = about(
                request, account, query.first("as"), query.first("roles").map(roles -> List.of(roles.split(",", -1))));
        var about = asking.caller().account().orElseThrow();
        return new BsonDocument("account", about.name().isEmpty() ? BsonNull.VALUE : new BsonString(about.name()))
                .append("roles", texts(about.roles()))
                .append("resources", resources(asking))
                .append("services", services(asking));
    }

    private BsonDocument check(Request request, Account account) {
        var content = ComputeLimit.SHARED.compute(() -> content(request));
        AccessChecks.requireKnown(content);
        var asking = about(request, account, AccessChecks.as(content), AccessChecks.roles(content));
        return ComputeLimit.SHARED.compute(() -> checks.check(asking, content, isRoot(account)));
    }

    private boolean isRoot(Account account) {
        return surroundings.rootRole().filter(account::hasRole).isPresent();
    }

    /// The request as another account would send it, or one that has these roles and no properties.
    private Request about(Request request, Account account, Optional<String> as, Optional<List<String>> roles) {
        boolean aboutOneself = as.map(account.name()::equals).orElse(true) && roles.isEmpty();
        if (aboutOneself) {
            return request;
        }
        if (!isRoot(account)) {
            throw Problem.of(ProblemCode.FORBIDDEN, "only the root role asks about other accounts and roles")
                    .raise();
        }
        if (as.isPresent()) {
            return surroundings
                    .accounts()
                    .apply(request, as.get())
                    .map(found -> request.with(Caller.of(found)))
                    .orElseThrow(() -> Problem.of(ProblemCode.CONTENT_INVALID, "there is no such account")
                            .raise());
        }
        var names = roles.orElseThrow().stream()
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .limit(20)
                .toList();
        return request.with(Caller.of(new Account("", names, new BsonDocument())));
    }

    private static BsonValue texts(List<String> texts) {
        return new BsonArray(texts.stream().map(BsonString::new).toList());
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
            pathOf(asking, ResourceKind.DB, db)
                    .flatMap(path -> resource(path, "database", "", databaseOperations(asking, path)))
                    .ifPresent(found::add);
            for (var collection : structure.collections()) {
                Thread.yield();
                pathOf(asking, collection.kind(), db, collection.name())
                        .flatMap(path -> resource(
                                path,
                                kind(collection.kind()),
                                surroundings.own().getOrDefault(db + "." + collection.name(), ""),
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

    /// The path, if it resolves to the expected resource.
    private Optional<RequestPath> pathOf(Request asking, ResourceKind kind, String... tokens) {
        return descriptions
                .pathOf(asking.connection(), tokens)
                .filter(path -> descriptions
                        .resolve(path, asking.connection())
                        .filter(located -> located.kind() == kind)
                        .isPresent());
    }

    /// Empty if nothing is permitted.
    private static Optional<BsonValue> resource(
            RequestPath path, String kind, String holds, Map<String, Answer> operations) {
        if (operations.values().stream().allMatch(answer -> answer == Answer.NEVER)) {
            return Optional.empty();
        }
        var values = new BsonDocument();
        operations.forEach((name, answer) -> values.append(name, text(answer)));
        var found = new BsonDocument("path", new BsonString(path.decoded()))
                .append("segments", texts(path.segments()))
                .append("kind", new BsonString(kind));
        if (!holds.isEmpty()) {
            found.append("holds", new BsonString(holds));
        }
        return Optional.of(found.append("operations", values));
    }

    private static BsonString text(Answer answer) {
        return new BsonString(
                switch (answer) {
                    case ALWAYS -> "yes";
                    case NEVER -> "no";
                    case DEPENDS -> "depends";
                });
    }

    private Map<String, Answer> databaseOperations(Request asking, RequestPath path) {
        var operations = new LinkedHashMap<String, Answer>();
        operations.put("read", ask(asking, ResourceKind.DB, Method.GET, path));
        operations.put("manage", ask(asking, ResourceKind.DB, Method.PUT, path));
        return operations;
    }

    private Map<String, Answer> collectionOperations(Request asking, RequestPath path, ResourceKind kind) {
        var document = kind == ResourceKind.FILES_BUCKET
                ? ResourceKind.FILE
                : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.SCHEMA : ResourceKind.DOCUMENT;
        var bulk = kind == ResourceKind.FILES_BUCKET
                ? ResourceKind.BULK_FILES
                : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.BULK_SCHEMAS : ResourceKind.BULK_DOCUMENTS;
        var all = new Segment.Name("*");
        var operations = new LinkedHashMap<String, Answer>();
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

    private Answer ask(Request asking, ResourceKind kind, Method method, RequestPath path, Segment... below) {
        var segments = new ArrayList<Segment>(
                path.segments().stream().map(Segment.Name::new).toList());
        segments.addAll(List.of(below));
        var requests = new RequestKind(method, segments, descriptions.demands(kind, method), true, Via.REST);
        return permissions.ask(asking, requests).answer();
    }

    private BsonDocument services(Request asking) {
        var values = new BsonDocument();
        surroundings.services().forEach((name, uri) -> {
            var kind = RequestKind.of(Method.GET, RequestPath.parse(uri), Set.of(), false);
            values.append(name, text(permissions.ask(asking, kind).answer()));
        });
        return values;
    }
}
