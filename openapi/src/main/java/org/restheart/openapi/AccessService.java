package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Cors;
import org.restheart.http.KnownKeys;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.TimeSlices;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.rest.MongoService;
import org.restheart.rest.description.Descriptions;
import org.restheart.rest.description.Descriptions.DatabaseStructure;
import org.restheart.text.ShortText;

/// `GET /_access`: the databases and collections that the caller may access, each operation with one of
/// three values: `yes`, `no`, or `depends` if the query, the content or the id decides. Resources without
/// any permitted operation are not listed. Below it, `POST check` evaluates one request, and `POST parse`
/// validates a permission. Thread-safe.
public final class AccessService implements Service {
    private static final int MAX_CONTENT = 1 << 20;

    private final int depth;
    private final CallerSecurity security;
    private final AccessOverview overview;
    private final AccessChecks checks;

    /// `access` of the configuration.
    private record AccessConfig(String uri, boolean secured) implements Configured {
        @Override
        public void install(Context context) {
            context.serve(new AccessService(uri, context), uri, secured);
        }
    }

    public static final class AccessModule implements ServiceModule {
        @Override
        public String block() {
            return "access";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("access");
            return new AccessConfig(block.uri("uri"), block.bool("secured"));
        }
    }

    private AccessService(String uri, Context context) {
        var descriptions = context.get(MongoService.class).descriptions();
        var permissions = context.get(KindPermissions.class);
        this.depth = RequestPath.parse(uri).segments().size();
        this.security = context.get(CallerSecurity.class);
        this.overview = new AccessOverview(
                descriptions,
                permissions,
                new AccessEvaluation.PossibleAccess(descriptions, permissions),
                security.stores(),
                context.uris("metrics"));
        this.checks = new AccessChecks(context.get(AccessExplanation.Explaining.class));
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, POST", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        var below = request.path().segments();
        below = below.subList(Math.min(depth, below.size()), below.size());
        var account = request.caller().account();
        if (account.isEmpty()) {
            throw security.challenge(request).raise();
        }
        return switch (String.join("/", below)) {
            case "" -> json(request, Method.GET, () -> overview(request, account.get()));
            case "check" -> json(request, Method.POST, () -> check(request, account.get()));
            case "parse" ->
                json(
                        request,
                        Method.POST,
                        () -> ComputeLimit.SHARED.compute(
                                () -> security.checkSyntax(request.body().json(MAX_CONTENT))));
            default -> throw Problem.of(ProblemCode.NOT_FOUND).raise();
        };
    }

    private static Response json(Request request, Method method, Supplier<BsonDocument> answer) {
        if (request.method() != method) {
            throw Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed")
                    .with("Allow", (method == Method.GET ? "GET, HEAD" : method) + ", OPTIONS")
                    .raise();
        }
        return Response.json(200, JsonEncoder.of(JsonMode.DEFAULT).encodeToString(answer.get()), request.lease())
                .with("Cache-Control", "private, no-store");
    }

    private BsonDocument overview(Request request, Account account) {
        var query = request.query();
        var asking = about(
                request, account, query.first("as"), query.first("roles").map(roles -> List.of(roles.split(",", -1))));
        return overview.of(asking, asking.caller().account().orElseThrow());
    }

    private BsonDocument check(Request request, Account account) {
        var content = ComputeLimit.SHARED.compute(() -> request.body().json(MAX_CONTENT));
        AccessChecks.requireKnown(content);
        var asking = about(request, account, AccessChecks.text(content, "as"), AccessChecks.roles(content));
        return ComputeLimit.SHARED.compute(() -> checks.check(asking, content, isRoot(account)));
    }

    private boolean isRoot(Account account) {
        return security.rootRole().filter(account::hasRole).isPresent();
    }

    /// The request as another account would send it, or one that has these roles and no properties.
    private Request about(Request request, Account account, Optional<String> as, Optional<List<String>> roles) {
        boolean aboutOneself = as.map(account.name()::equals).orElse(true) && roles.isEmpty();
        if (aboutOneself) {
            return request;
        }
        if (!isRoot(account)) {
            throw new ProblemException(ProblemCode.FORBIDDEN, "only the root role asks about other accounts and roles");
        }
        if (as.isPresent()) {
            return security.account(request, as.get())
                    .map(found -> request.with(Caller.of(found)))
                    .orElseThrow(() -> new ProblemException(ProblemCode.CONTENT_INVALID, "there is no such account"));
        }
        var names = roles.orElseThrow().stream()
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .limit(20)
                .toList();
        return request.with(Caller.of(new Account("", names, new BsonDocument())));
    }

    /// `POST /_access/check`: evaluates the access rules for a request without executing it. Thread-safe.
    private record AccessChecks(AccessExplanation.Explaining rules) {
        private static final int MAX_PARAMETERS = 1_000;

        /// Longer texts are truncated in messages.
        private static final int MAX_QUOTED = 50;

        /// With the words of others for them.
        private static final KnownKeys KEYS = KnownKeys.of("as body method path query roles")
                .meantBy("account=as user=as userid=as username=as name=as role=roles uri=path url=path content=body"
                        + " filter=query");

        /// Refuses unknown keys, with which the answer would be about another request or account.
        ///
        /// @throws org.restheart.http.ProblemException 400 naming the first one
        static void requireKnown(BsonDocument content) {
            for (var key : content.keySet()) {
                if (!KEYS.known().contains(key)) {
                    throw refuse("unknown key " + key
                            + KEYS.near(key)
                                    .map(name -> "; did you mean " + name + "?")
                                    .orElse("; the keys are as, roles, method, path, query and body"));
                }
            }
        }

        /// The roles whose request is checked; empty for the caller's own.
        ///
        /// @throws org.restheart.http.ProblemException 400 if it is no list of texts
        static Optional<List<String>> roles(BsonDocument content) {
            var value = content.get("roles");
            if (value == null || value.isNull()) {
                return Optional.empty();
            }
            if (!(value instanceof BsonArray names) || !names.stream().allMatch(BsonValue::isString)) {
                throw refuse("roles must be a list of texts");
            }
            return Optional.of(
                    names.stream().map(name -> name.asString().getValue()).toList());
        }

        /// @param asking has the caller whose permissions are evaluated
        /// @param content `{method, path, query, body}`, with known keys only
        /// @param readsRules whether the response has the contents of access rules. Otherwise it has, for
        ///     each rule, its role, its priority and the flags that it lacks, and for a grant only the kinds
        ///     of its restrictions
        BsonDocument check(Request asking, BsonDocument content, boolean readsRules) {
            var explanation = rules.explain(asking, request(content));
            var answer =
                    object("decision", explanation.isAllowed() ? "allowed" : "refused", "status", explanation.status());
            explanation
                    .reason()
                    .or(() -> withoutRules(asking, explanation))
                    .ifPresent(reason -> answer.append("reason", new BsonString(reason)));
            var deciding = explanation.deciding();
            return answer.append(
                            "permission",
                            deciding.<BsonValue>map(rule -> permission(rule, readsRules))
                                    .orElse(BsonNull.VALUE))
                    .append(
                            "grant",
                            deciding.flatMap(Tried::grant)
                                    .<BsonValue>map(
                                            grant -> readsRules ? restrictions(grant) : namesOf(restrictions(grant)))
                                    .orElse(BsonNull.VALUE))
                    .append(
                            "trace",
                            new BsonArray(explanation.tried().stream()
                                    .map(rule -> traced(rule, readsRules))
                                    .toList()));
        }

        /// What a caller without any access rule is told; its roles may be misspelt there or in the rules.
        private static Optional<String> withoutRules(Request asking, AccessExplanation explanation) {
            return explanation.isAllowed() || !explanation.tried().isEmpty()
                    ? Optional.empty()
                    : asking.caller()
                            .account()
                            .map(account -> account.roles().isEmpty()
                                    ? "the account has no roles"
                                    : "there is no permission for "
                                            + ShortText.of(String.join(", ", account.roles()), MAX_QUOTED));
        }

        private static JudgedRequest request(BsonDocument content) {
            var name = text(content, "method").orElse("GET");
            var method = Method.of(name)
                    .orElseThrow(() -> refuse("method is " + ShortText.of(name, MAX_QUOTED)
                            + ", which is no method of HTTP that is served (in upper case, such as GET)"));
            var target = text(content, "path")
                    .filter(path -> path.startsWith("/"))
                    .orElseThrow(() -> refuse("path is needed, a text that begins with /"));
            var more = text(content, "query")
                    .map(query -> (target.contains("?") ? "&" : "?") + query)
                    .orElse("");
            var judged = JudgedRequest.of(method, target + more, MAX_PARAMETERS, Via.REST);
            var body = content.get("body");
            if (body == null || body.isNull()) {
                return judged;
            }
            var json = body.isString()
                    ? body.asString().getValue()
                    : JsonEncoder.of(JsonMode.STRICT).encodeToString(body);
            return judged.withContent(json.getBytes(StandardCharsets.UTF_8));
        }

        private static Optional<String> text(BsonDocument content, String name) {
            var value = content.get(name);
            if (value == null || value.isNull()) {
                return Optional.empty();
            }
            if (!value.isString()) {
                throw refuse(name + " must be a text");
            }
            return Optional.of(value.asString().getValue());
        }

        private static RuntimeException refuse(String message) {
            return new ProblemException(ProblemCode.CONTENT_INVALID, message);
        }

        private static BsonDocument permission(Tried rule, boolean readsRules) {
            var result = new BsonDocument();
            if (readsRules) {
                rule.id()
                        .ifPresentOrElse(
                                id -> result.append("_id", id),
                                () -> result.append("place", new BsonString(rule.place())));
            }
            rule.role().ifPresent(role -> result.append("role", new BsonString(role)));
            rule.priority().ifPresent(priority -> result.append("priority", new BsonDouble(priority)));
            return result;
        }

        private static BsonDocument traced(Tried rule, boolean readsRules) {
            var result = permission(rule, readsRules)
                    .append("applies", BsonBoolean.valueOf(rule.grant().isPresent()));
            if (!rule.missing().isEmpty()) {
                result.append(
                        "missing",
                        BsonTexts.array(
                                rule.missing().stream().map(Privilege::flag).toList()));
            }
            rule.failed().filter(_ -> readsRules).ifPresent(part -> result.append("failed", new BsonString(part)));
            return result;
        }

        private static BsonDocument restrictions(Access grant) {
            var result = new BsonDocument();
            grant.readFilter().ifPresent(filter -> result.append("readFilter", filter));
            grant.writeFilter().ifPresent(filter -> result.append("writeFilter", filter));
            grant.mergeRequest().ifPresent(merged -> result.append("mergeRequest", merged));
            grant.projectResponse().ifPresent(projection -> result.append("projectResponse", projection));
            return result;
        }

        private static BsonDocument namesOf(BsonDocument restrictions) {
            var result = new BsonDocument();
            restrictions.keySet().forEach(name -> result.append(name, BsonBoolean.TRUE));
            return result;
        }
    }

    /// The databases and collections that a caller may access, and the services: each operation with `yes`,
    /// `no` or `depends`. Resources without any permitted operation are left out. Thread-safe.
    ///
    /// @param own the collections of `accounts` and of `permissions`, by full name
    /// @param services paths of services other than the data API, by name
    private record AccessOverview(
            Descriptions descriptions,
            KindPermissions permissions,
            AccessEvaluation.PossibleAccess possible,
            Map<String, String> own,
            Map<String, String> services) {
        private static final Segment ANY = new Segment.Unknown(DataPaths.RESERVED);

        /// What the caller of a request may access. Blocks for metadata.
        ///
        /// @param account of the caller; without a name if only its roles matter
        BsonDocument of(Request asking, Account account) {
            return new BsonDocument(
                            "account", account.name().isEmpty() ? BsonNull.VALUE : new BsonString(account.name()))
                    .append("roles", BsonTexts.array(account.roles()))
                    .append("resources", resources(asking))
                    .append("services", services(asking));
        }

        private BsonArray resources(Request asking) {
            var databases = descriptions.databases();
            var possibly = ComputeLimit.SHARED.compute(() ->
                    databases.stream().filter(db -> possible.in(asking, db)).toList());
            var structures = possibly.stream().map(descriptions::database).toList();
            return ComputeLimit.SHARED.compute(() -> resources(asking, structures));
        }

        private BsonArray resources(Request asking, List<DatabaseStructure> structures) {
            var found = new BsonArray();
            var slices = new TimeSlices();
            for (var structure : structures) {
                var db = structure.name();
                descriptions
                        .pathOf(asking.connection(), ResourceKind.DB, db)
                        .flatMap(path -> resource(path, "database", "", databaseOperations(asking, path)))
                        .ifPresent(found::add);
                for (var collection : structure.collections()) {
                    slices.step();
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
                RequestPath path, String kind, String holds, Map<String, Permitted> operations) {
            if (operations.values().stream().allMatch(answer -> answer.decision() == Decision.NEVER)) {
                return Optional.empty();
            }
            var values = new BsonDocument();
            var limits = new BsonDocument();
            operations.forEach((name, answer) -> {
                values.append(name, text(answer.decision()));
                var restrictions = restrictions(name, answer);
                if (!kind.equals("database") && !restrictions.isEmpty()) {
                    limits.append(name, BsonTexts.array(restrictions));
                }
            });
            var found = object("path", path.decoded(), "segments", path.segments(), "kind", kind);
            if (!holds.isEmpty()) {
                found.append("holds", new BsonString(holds));
            }
            found.append("operations", values);
            return Optional.of(limits.isEmpty() ? found : found.append("limits", limits));
        }

        /// What restricts the documents and fields that an allowed operation may reach.
        private static Set<String> restrictions(String operation, Permitted permitted) {
            var concerned = switch (operation) {
                case "read", "aggregate", "stream" -> Set.of("readFilter", "projectResponse");
                case "delete", "bulkDelete" -> Set.of("writeFilter");
                case "manage" -> Set.<String>of();
                default -> Set.of("writeFilter", "mergeRequest");
            };
            var names = new TreeSet<String>();
            for (var rule : permitted.possible()) {
                var grant = rule.grant();
                AccessChecks.restrictions(grant).keySet().stream()
                        .filter(concerned::contains)
                        .filter(name ->
                                !(operation.equals("create") && name.equals("writeFilter")) || grant.checkWritten())
                        .forEach(names::add);
            }
            return names;
        }

        private static BsonString text(Decision answer) {
            return new BsonString(
                    switch (answer) {
                        case ALWAYS -> "yes";
                        case NEVER -> "no";
                        case DEPENDS -> "depends";
                    });
        }

        private Map<String, Permitted> databaseOperations(Request asking, RequestPath path) {
            var operations = new LinkedHashMap<String, Permitted>();
            operations.put("read", ask(asking, ResourceKind.DB, Method.GET, path));
            operations.put("manage", ask(asking, ResourceKind.DB, Method.PUT, path));
            return operations;
        }

        private Map<String, Permitted> collectionOperations(Request asking, RequestPath path, ResourceKind kind) {
            var document = kind == ResourceKind.FILES_BUCKET
                    ? ResourceKind.FILE
                    : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.SCHEMA : ResourceKind.DOCUMENT;
            var bulk = kind == ResourceKind.FILES_BUCKET
                    ? ResourceKind.BULK_FILES
                    : kind == ResourceKind.SCHEMA_STORE ? ResourceKind.BULK_SCHEMAS : ResourceKind.BULK_DOCUMENTS;
            var all = new Segment.Name("*");
            var operations = new LinkedHashMap<String, Permitted>();
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

        private Permitted ask(Request asking, ResourceKind kind, Method method, RequestPath path, Segment... below) {
            var segments = new ArrayList<>(RequestKind.segments(path));
            segments.addAll(List.of(below));
            var requests = new RequestKind(method, segments, RequestKind.demands(kind, method), true, Via.REST);
            return permissions.ask(asking, requests);
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
}
