package org.restheart.core.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.core.config.CoreConfig.ErrorBodies;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityGuards;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router.Route;
import org.restheart.core.tracing.ServerTiming;
import org.restheart.http.Accepted;
import org.restheart.http.ContentCoding;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.attribute.Key;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.trace.TraceScope;
import org.restheart.security.ClientAddress;

/// Assembles the filters around a service and defines their order.
public final class Pipeline {
    /// What may have to wait begins again on a thread of its own from here, and nothing in front of it.
    private static final Filter STEP = (request, next) -> next.resumed(request);

    private final Settings settings;
    private final ErrorMapping errors;
    private final Function<Binding, Filter> securityFilters;
    private final Function<Binding, Filter> judges;
    private final Optional<RateLimits> limits;
    private final StandingHeaders standing;
    private final OverloadFilter overload;

    /// @param securityFilters returns the security filter of a binding
    /// @param judges returns the filter that authorizes a binding's requests made inside the process
    /// @param limits the rate limits of addresses and accounts, if configured
    public Pipeline(
            Settings settings,
            ErrorMapping errors,
            Function<Binding, Filter> securityFilters,
            Function<Binding, Filter> judges,
            Optional<RateLimits> limits) {
        this.settings = settings;
        this.errors = errors;
        this.securityFilters = securityFilters;
        this.judges = judges;
        this.limits = limits;
        this.overload = new OverloadFilter(settings.clients());
        this.standing = new StandingHeaders(settings.poweredByHeader(), settings.dateHeader());
    }

    /// The route of a binding. The filters are listed from the outermost to the innermost.
    public Route assemble(Binding binding) {
        var service = binding.service();
        if (service.bypassesFilters()) {
            var filters = new ArrayList<Filter>();
            filters.add(errors(service));
            limits.ifPresent(limits -> filters.add(limits::beforeAuthentication));
            filters.add(STEP);
            return new Route(binding, Filter.chain(filters, service), judged(binding));
        }
        var filters = new ArrayList<Filter>();
        if (!settings.tracingHeaders().isEmpty()) {
            filters.add((request, next) -> next.handle(request).map(response -> response.with(tracing(request))));
        }
        if (service.traffic() == Service.Traffic.PROXY) { // headers, errors and methods are those of another server
            filters.add(errors(service));
            filters.add(Preparation::refuse);
            addSecurity(binding, filters);
            filters.add(STEP);
            filters.addAll(binding.innerFilters());
            return new Route(binding, Filter.chain(filters, service), judged(binding));
        }
        filters.addAll(List.of(
                new PrettyFilter(),
                new Preparation(service),
                new CorsFilter(service, settings.cors()),
                errors(service),
                new CorsFilter.OptionsFilter(
                        service, standing, preflightHeaders(), settings.cors().maxAge()),
                Preparation::refuse));
        addSecurity(binding, filters);
        filters.add(standing);
        // again: errors from behind the security filter carry the standing headers
        filters.add(errors(service));
        if (!service.isProbe()) {
            filters.add(overload);
        }
        if (settings.forceEncoding()) {
            filters.add(Pipeline::requireEncoding);
        }
        if (!service.answersHead()) {
            filters.add((request, next) ->
                    next.handle(request.method() == Method.HEAD ? request.with(Method.GET) : request));
        }
        filters.add(STEP);
        filters.addAll(binding.innerFilters());
        return new Route(binding, Filter.chain(filters, service), judged(binding));
    }

    private ErrorFilter errors(Service service) {
        return new ErrorFilter(service, errors, settings.errorBodies(), settings.problemDetails());
    }

    /// Requests are counted by address before anything costs time, and by account when it is known.
    private void addSecurity(Binding binding, List<Filter> filters) {
        limits.ifPresent(limits -> filters.add(limits::beforeAuthentication));
        binding.outerFilters().forEach(filter -> {
            filters.add(STEP);
            filters.add(prepared(binding, filter));
        });
        filters.add(STEP);
        var security = ServerTiming.behind(securityFilters.apply(binding));
        filters.add(settings.tracing() ? traced("authorize", security) : security);
        limits.ifPresent(limits -> filters.add(limits::afterAuthentication));
    }

    /// Adds what a filter does before it hands the request on, or refuses it, to the request's span.
    private static Filter traced(String part, Filter filter) {
        return (request, next) -> {
            var span = TraceScope.current();
            if (span == null) {
                return filter.filter(request, next);
            }
            long began = System.nanoTime();
            var isAdded = new AtomicBoolean();
            Runnable over = () -> {
                if (isAdded.compareAndSet(false, true)) {
                    span.add(part, began, System.nanoTime());
                }
            };
            try {
                return filter.filter(request, passed -> {
                    over.run();
                    return next.handle(passed);
                });
            } finally {
                over.run();
            }
        };
    }

    /// A filter that may change requests: what it passes on is prepared as what clients send, so that nobody behind it
    /// judges what was asked before. Refusals and failures are responses to it.
    @SuppressWarnings("ReferenceEquality") // requests are immutable
    private Filter prepared(Binding binding, Filter filter) {
        var service = binding.service();
        var answering = errors(service);
        return (request, next) -> filter.filter(
                request,
                answering.before(passed ->
                        next.handle(passed == request ? request : service.prepare(binding.requireOwn(passed)))));
    }

    /// The tracing headers of a request, which are sent back so that callers can match the two.
    private Fields tracing(Request request) {
        var echoed = Fields.NONE;
        for (var name : settings.tracingHeaders()) {
            for (var value : request.headers().all(name)) {
                echoed = echoed.plus(name, value);
            }
        }
        return echoed;
    }

    /// Refuses requests that do not accept compressed responses (`core.force-gzip-encoding`).
    private static Response requireEncoding(Request request, Handler next) {
        if (ContentCoding.accepted(request.headers()) == ContentCoding.IDENTITY) {
            throw new ProblemException(ProblemCode.BAD_REQUEST, "Accept-Encoding header must include gzip or deflate");
        }
        return next.handle(request);
    }

    /// Request headers that pages of any origin may send: those that do not change what is requested, and
    /// those that the configuration names.
    private List<String> preflightHeaders() {
        var headers = new ArrayList<>(
                List.of("traceparent", "tracestate", "X-Request-Id", "Cache-Control", "Content-Encoding"));
        headers.addAll(settings.tracingHeaders());
        headers.addAll(settings.cors().headers());
        return List.copyOf(headers);
    }

    /// The chain of requests made inside the process. Filters about HTTP, such as CORS, apply to the outer
    /// request only.
    private Handler judged(Binding binding) {
        var service = binding.service();
        var filters = new ArrayList<Filter>(List.of(
                new Preparation(service), errors::toProblems, Preparation::refuse, STEP, judges.apply(binding), STEP));
        filters.addAll(binding.innerFilters());
        return Filter.chain(filters, service);
    }

    /// Marks a request with a fault that the listener found: the pipeline refuses it, so that the response has
    /// the service's format and headers.
    public static Request faulty(Request request, RuntimeException fault) {
        return request.with(Preparation.REFUSAL, fault);
    }

    /// The settings of every pipeline.
    ///
    /// @param forceEncoding whether requests that accept neither gzip nor deflate are refused
    /// @param errorBodies which refusals have a body
    /// @param clients determines the address under which requests without an account are counted
    public record Settings(
            boolean poweredByHeader,
            boolean dateHeader,
            boolean forceEncoding,
            List<String> tracingHeaders,
            ErrorBodies errorBodies,
            boolean problemDetails,
            SecurityGuards.Cors cors,
            ClientAddress clients,
            boolean tracing) {
        public Settings {
            tracingHeaders = List.copyOf(tracingHeaders);
        }

        public static Settings of(GatewayConfig config) {
            return new Settings(
                    config.poweredByHeader(),
                    config.dateHeader(),
                    config.core().forceGzipEncoding(),
                    config.logging().tracingHeaders(),
                    config.core().errorBodies(),
                    config.core().problemDetails(),
                    config.security().guards().cors(),
                    config.security().guards().clientAddress(),
                    config.tracing().isPresent());
        }
    }

    /// Lets the service prepare a request before authentication. A refusal is stored, since CORS headers and
    /// `OPTIONS` come first, and thrown by [#refuse(Request, Handler)].
    private record Preparation(Service service) implements Filter {
        /// The refusal of a request that was found early: by the listener, or by the service's preparation.
        static final Key<RuntimeException> REFUSAL = Key.named("refusal");

        @Override
        public Response filter(Request request, Handler next) {
            return next.handle(request.attribute(REFUSAL).isPresent() ? request : prepared(request));
        }

        private Request prepared(Request request) {
            try {
                return service.prepare(request);
            } catch (RuntimeException refusal) { // thrown again by refuse(), where the error filter sees it
                return request.with(REFUSAL, refusal);
            }
        }

        /// A filter that ends requests whose preparation was refused.
        static Response refuse(Request request, Handler next) {
            request.attribute(REFUSAL).ifPresent(refusal -> {
                throw refusal;
            });
            return next.handle(request);
        }
    }

    /// Converts exceptions of the following steps to responses, also those of deferred responses.
    ///
    /// @param problemDetails whether all clients get RFC 9457, other than those of GraphQL, which has a
    ///     format of its own
    private record ErrorFilter(Service service, ErrorMapping mapping, ErrorBodies bodies, boolean problemDetails)
            implements Filter {
        private static final String GRAPHQL_JSON = "application/graphql-response+json";
        private static final String PROBLEM_JSON = "application/problem+json";

        /// What one caller is refused, or does not find, another may have.
        private static final Fields VARY = Fields.of("Vary", "Accept, Authorization, Cookie");

        @Override
        public Response filter(Request request, Handler next) {
            try {
                return next.handle(request).recover(failure -> answer(request, failure));
            } catch (RuntimeException failure) {
                return answer(request, failure);
            }
        }

        private Ready answer(Request request, Throwable failure) {
            var problem = mapping.toProblem(request, failure);
            return service.errorResponse(request, problem)
                    .map(response -> response.with(problem.headers()))
                    .orElseGet(() -> body(request, problem).with(problem.headers()));
        }

        /// In the shape that the client expects: the service's own, or RFC 9457 when it asks for that.
        private Ready body(Request request, Problem problem) {
            if (!bodies.include(problem)) {
                return Response.status(problem.status())
                        .with(VARY)
                        .with(
                                "Content-Type",
                                service.errorStyle() == ErrorStyle.GRAPHQL ? GRAPHQL_JSON : Response.JSON);
            }
            if (asksForProblemJson(request)) {
                return json(problem, JsonMode.DEFAULT, standard(bodies.shown(problem)))
                        .with("Content-Type", PROBLEM_JSON);
            }
            return switch (service.errorStyle()) {
                case GRAPHQL ->
                    json(problem, JsonMode.DEFAULT, graphql(problem)).with("Content-Type", GRAPHQL_JSON);
                case STATUS ->
                    json(problem, mode(request), bodies.shown(problem).toStatusDocument());
                case MESSAGE -> json(problem, JsonMode.DEFAULT, problem.toMessageDocument());
            };
        }

        /// An error as GraphQL has it (GraphQL, 7.1.2).
        private static BsonDocument graphql(Problem problem) {
            var extensions = new BsonDocument("classification", new BsonString("ExecutionAborted"));
            problem.hints().stream().findFirst().ifPresent(hint -> extensions.append("hint", new BsonString(hint)));
            var error = new BsonDocument("message", new BsonString(problem.message()))
                    .append("locations", new BsonArray())
                    .append("extensions", extensions);
            return new BsonDocument("errors", new BsonArray(List.of(error)));
        }

        private static Ready json(Problem problem, JsonMode mode, BsonDocument document) {
            return Response.json(problem.status(), JsonEncoder.of(mode).encodeToString(document))
                    .with(VARY);
        }

        /// Errors of the data API are written like its documents.
        private static JsonMode mode(Request request) {
            return DataParameter.JSON_MODE
                    .choice(request.query())
                    .flatMap(JsonMode::of)
                    .orElse(JsonMode.DEFAULT);
        }

        private boolean asksForProblemJson(Request request) {
            return (problemDetails && service.errorStyle() != ErrorStyle.GRAPHQL)
                    || Accepted.of(request.headers()).named(PROBLEM_JSON) > 0;
        }

        /// RFC 9457, 3.1; `code`, `warnings` and `index` are extension members.
        private static BsonDocument standard(Problem problem) {
            var document = new BsonDocument("type", new BsonString("about:blank"))
                    .append("title", new BsonString(problem.code().title()))
                    .append("status", new BsonInt32(problem.status()))
                    .append("detail", new BsonString(problem.message()))
                    .append("code", new BsonString(problem.code().name()));
            var notes = problem.notes();
            if (!notes.isEmpty()) {
                document.append("warnings", BsonTexts.array(notes));
            }
            problem.index().ifPresent(index -> document.append("index", new BsonInt32(index)));
            return document;
        }
    }
}
