package org.restheart.core.routing;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.RequestKind;
import org.restheart.security.Credentials;
import org.restheart.security.SecurityFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs requests of services on the routes of other services, without a socket, and determines which requests
/// would be allowed. Thread-safe.
public final class InProcessRequests implements JudgedRequests, KindPermissions, AccessExplanation.Explaining {
    /// Bounds nested requests, such as those of a service that calls itself.
    private static final int MAX_DEPTH = 3;

    private static final Key<Integer> DEPTH = Key.named("depth");

    private static final Logger LOG = LoggerFactory.getLogger(InProcessRequests.class);

    /// Paths of services about which the log already says that they hide collections of the same name.
    private final Set<String> covering = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Connected connected;

    private record Connected(
            Router routes,
            Function<Binding, SecurityFilter> securityFilters,
            Function<Request, Optional<Problem>> refusals) {}

    /// Called once, when all services are bound, since some of them refer to this object.
    ///
    /// @param refusals why the guards of data refuse a request to its caller, whatever its content and parameters
    public void connect(
            Router routes,
            Function<Binding, SecurityFilter> securityFilters,
            Function<Request, Optional<Problem>> refusals) {
        connected = new Connected(routes, securityFilters, refusals);
    }

    /// Whether a service other than those of data has the path, or one below it.
    public boolean isServedElsewhere(List<String> path) {
        return connected().routes().isServedElsewhere(path);
    }

    private Connected connected() {
        var found = connected;
        if (found == null) {
            throw Problem.overloaded("the server is starting").raise();
        }
        return found;
    }

    @Override
    public Permitted ask(Request asking, RequestKind kind) {
        var example = JudgedRequest.of(kind.method(), kind.example(), Query.NONE, kind.via());
        return connected()
                .routes()
                .find(example.path())
                .filter(route -> !kind.data() || isData(route, kind))
                .map(route -> ask(route.binding(), inside(asking, example), kind))
                .orElseGet(() -> Permitted.NEVER);
    }

    @Override
    public boolean mayAllow(Request outer, RequestKind kind) {
        return mayAllow(outer, Stream.of(kind));
    }

    private Permitted ask(Binding binding, Request example, RequestKind kind) {
        return kind.data() && isRefused(binding, example)
                ? Permitted.NEVER
                : connected().securityFilters().apply(binding).ask(example, ofData(kind));
    }

    /// Whether the guards of data refuse all requests like the example. An unknown database or collection is none that
    /// they guard.
    private boolean isRefused(Binding binding, Request example) {
        try {
            return connected()
                    .refusals()
                    .apply(binding.service().prepare(example))
                    .isPresent();
        } catch (ProblemException _) { // of the example's path, content or parameters: others are not refused for it
            return false;
        }
    }

    /// Without the paths at which other services answer than those of data.
    private RequestKind ofData(RequestKind kind) {
        return kind.data() && !kind.isPathKnown()
                ? kind.without(connected().routes().otherServices(kind.knownPath()))
                : kind;
    }

    @Override
    public boolean reachesData(RequestKind kind) {
        return connected()
                .routes()
                .find(JudgedRequest.of(kind.method(), kind.example(), Query.NONE, kind.via())
                        .path())
                .filter(route -> isData(route, kind))
                .isPresent();
    }

    /// Whether such a request reaches the data. It does not if another service has the path of a collection;
    /// this is logged once for each service.
    private boolean isData(Router.Route route, RequestKind kind) {
        var binding = route.binding();
        boolean reached = binding.service().answersJudgedRequests();
        if (!reached && covering.add(binding.uri())) {
            LOG.warn(
                    "{} belongs to the service {}: the collection or database of this name cannot be reached there",
                    kind.example().raw(),
                    binding.service().name());
        }
        return reached;
    }

    @Override
    public AccessExplanation explain(Request asking, JudgedRequest request) {
        var route = connected().routes().find(request.path());
        if (route.isEmpty()) {
            return new AccessExplanation(502, Optional.of("no service answers at this path"), List.of());
        }
        var binding = route.get().binding();
        var sent = inside(asking, request);
        try {
            var prepared = binding.service().prepare(sent);
            var explanation = connected().securityFilters().apply(binding).explain(prepared);
            return connected()
                    .refusals()
                    .apply(prepared)
                    .filter(_ -> explanation.isAllowed())
                    .map(InProcessRequests::explanation)
                    .orElse(explanation);
        } catch (ProblemException refusal) {
            var problem = refusal.problem();
            if (problem.status() >= 500) {
                throw refusal;
            }
            return explanation(problem);
        }
    }

    private static AccessExplanation explanation(Problem refusal) {
        return new AccessExplanation(refusal.status(), Optional.of(refusal.message()), List.of());
    }

    @Override
    public Response make(Request outer, JudgedRequest inner) {
        var routes = connected().routes();
        int depth = outer.attribute(DEPTH).orElse(0) + 1;
        if (depth > MAX_DEPTH) {
            throw new ProblemException(ProblemCode.UNPROCESSABLE, "requests made by requests are nested too deeply");
        }
        var route = routes.find(inner.path())
                .filter(found -> found.binding().service().answersJudgedRequests())
                .orElseThrow(NOT_PERMITTED::raise);
        return route.judged().handle(inside(outer, inner).with(DEPTH, depth));
    }

    /// With the credentials of the outer request: who is charged for the request, and how long a response to
    /// it may stay open, depends on them.
    private static Request inside(Request outer, JudgedRequest inner) {
        var sent = inner.inside(outer)
                .with(Credentials.SENT_TO, outer.attribute(Credentials.SENT_TO).orElse(outer.path()));
        return outer.attribute(Credentials.KEY)
                .map(credentials -> sent.with(Credentials.KEY, credentials))
                .orElse(sent);
    }
}
