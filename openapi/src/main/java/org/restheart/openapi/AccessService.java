package org.restheart.openapi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.KindPermissions;
import org.restheart.mongo.description.Descriptions;

/// `GET /_access`: the databases and collections that the caller may access, each operation with one of three
/// values: `yes`, `no`, or `depends` if the query, the content or the id decides. Resources without any
/// permitted operation are not listed. Below it, `POST check` evaluates one request, and `POST parse` validates
/// a permission. Thread-safe.
public final class AccessService implements Service {
    private static final int MAX_CONTENT = 1 << 20;

    private final Dependencies dependencies;
    private final AccessOverview overview;
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
    public record Dependencies(
            int depth,
            Optional<String> rootRole,
            Map<String, String> services,
            Map<String, String> own,
            BiFunction<Request, String, Optional<Account>> accounts,
            UnaryOperator<BsonDocument> syntax,
            Function<Request, Problem> challenge) {
        public Dependencies {
            services = Map.copyOf(services);
            own = Map.copyOf(own);
        }
    }

    public AccessService(
            Descriptions descriptions,
            KindPermissions permissions,
            BiFunction<Request, JudgedRequest, AccessExplanation> explain,
            Dependencies dependencies) {
        this.overview = new AccessOverview(
                descriptions,
                permissions,
                new PossibleAccess(descriptions, permissions),
                dependencies.own(),
                dependencies.services());
        this.checks = new AccessChecks(explain);
        this.dependencies = dependencies;
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, POST", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        var below = request.path().segments();
        below = below.subList(Math.min(dependencies.depth(), below.size()), below.size());
        var account = request.caller().account();
        if (account.isEmpty()) {
            throw dependencies.challenge().apply(request).raise();
        }
        return switch (String.join("/", below)) {
            case "" -> {
                require(request, Method.GET);
                yield json(request, overview(request, account.get()));
            }
            case "check" -> {
                require(request, Method.POST);
                yield json(request, check(request, account.get()));
            }
            case "parse" -> {
                require(request, Method.POST);
                yield json(
                        request,
                        ComputeLimit.SHARED.compute(() -> dependencies.syntax().apply(content(request))));
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

    private static Response json(Request request, BsonDocument answer) {
        return Response.json(200, JsonEncoder.of(JsonMode.DEFAULT).encodeToString(answer), request.lease())
                .with("Cache-Control", "private, no-store");
    }

    private static BsonDocument content(Request request) {
        if (request.body().isLongerThan(MAX_CONTENT)) {
            throw new ProblemException(ProblemCode.CONTENT_TOO_LARGE, "at most " + MAX_CONTENT + " bytes");
        }
        try {
            return JsonParser.parseDocument(request.body().bytes());
        } catch (MalformedJsonException e) {
            throw new ProblemException(ProblemCode.CONTENT_INVALID, "a JSON object is expected: " + e.getMessage());
        }
    }

    private BsonDocument overview(Request request, Account account) {
        var query = request.query();
        var asking = about(
                request, account, query.first("as"), query.first("roles").map(roles -> List.of(roles.split(",", -1))));
        return overview.of(asking, asking.caller().account().orElseThrow());
    }

    private BsonDocument check(Request request, Account account) {
        var content = ComputeLimit.SHARED.compute(() -> content(request));
        AccessChecks.requireKnown(content);
        var asking = about(request, account, AccessChecks.as(content), AccessChecks.roles(content));
        return ComputeLimit.SHARED.compute(() -> checks.check(asking, content, isRoot(account)));
    }

    private boolean isRoot(Account account) {
        return dependencies.rootRole().filter(account::hasRole).isPresent();
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
            return dependencies
                    .accounts()
                    .apply(request, as.get())
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
}
