package org.restheart.dataapi;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.data.Operation.Structure;
import org.restheart.http.Cors;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.ShortText;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequests;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST {uri}/{appId}/endpoint/data/{version}/action/{action}`. Thread-safe.
public final class DataApiService implements Service {
    private static final Logger LOG = LoggerFactory.getLogger(DataApiService.class);
    private static final int LARGEST_ON_IO_THREAD = 32 << 10;

    /// Characters that messages quote.
    private static final int MAX_QUOTED = 300;

    private final DataApiConfig config;
    private final JudgedRequests requests;
    private final DataPaths paths;
    private final Errors errors;
    private final ActionMeters meters;
    private final ActionUri address;
    private final Cors cors;

    /// @param registry takes the meters of this service
    public DataApiService(DataApiConfig config, JudgedRequests requests, DataPaths paths, MeterRegistry registry) {
        this.config = config;
        this.requests = requests;
        this.paths = paths;
        this.errors = new Errors(config.linkBase());
        this.meters = new ActionMeters(registry);
        this.address = new ActionUri(config);
        this.cors = new Cors(
                "POST",
                Cors.DEFAULT_HEADERS
                        + ", Idempotency-Key"
                        + (config.allowKeyFromBrowsers() ? ", apiKey, api-key, email, password, jwtTokenString" : ""),
                "");
        if (config.allowKeyFromBrowsers()) {
            LOG.warn("dataApi: scripts in browsers may send keys and passwords, which are visible to every reader of"
                    + " the page");
        }
    }

    /// The path to which it is bound.
    public String uri() {
        return config.uri();
    }

    @Override
    public Cors cors(Request request) {
        return cors;
    }

    @Override
    public Optional<Response.Ready> errorResponse(Request request, Problem problem) {
        return Errors.areWantedAsProblem(request) ? Optional.empty() : Optional.of(errors.answer(request, problem));
    }

    @Override
    public boolean startsOnIoThread(Request request) {
        return request.method() == Method.POST && !request.body().isLongerThan(LARGEST_ON_IO_THREAD);
    }

    /// The request with its credentials in the headers that the gateway reads.
    public static Request located(Request request) {
        return request.with(CredentialHeaders.located(request.headers()));
    }

    @Override
    public Request prepare(Request request) {
        return request.with(Sent.KEY, new Sent(request));
    }

    @Override
    public Response handle(Request request) {
        var action = address.action(request.path());
        if (action.isEmpty()) {
            return unknown(request, address.fault(request.path()));
        }
        if (request.method() != Method.POST) {
            return refused(request, new Refusal(405, "InvalidParameter", "an action is called by POST"));
        }
        long began = System.nanoTime();
        var version = address.version(request.path());
        IntConsumer done = status -> meters.done(action.get(), version, status, System.nanoTime() - began);
        Response response;
        try {
            response = answered(request, action.get());
        } catch (RuntimeException failure) {
            throw counted(failure, done);
        }
        return response.mapFailure(failure -> counted(failure, done)).map(ready -> {
            done.accept(ready.status());
            return ready;
        });
    }

    /// Failures are answered outside this service: faults, and all refusals of clients that accept
    /// `application/problem+json`.
    private static RuntimeException counted(RuntimeException failure, IntConsumer done) {
        done.accept(
                failure instanceof ProblemException refused ? refused.problem().status() : 500);
        return failure;
    }

    /// Without content, as clients know it, unless they accept problems.
    private static Response unknown(Request request, String fault) {
        if (Errors.areWantedAsProblem(request)) {
            throw new ProblemException(ProblemCode.NOT_FOUND, fault);
        }
        return Response.status(404).with("Warning", FoundWarnings.line(fault));
    }

    private Response answered(Request request, Action action) {
        var namespace = new AtomicReference<>("");
        try {
            return run(request, action, namespace)
                    .recover(failure -> failed(request, action, namespace.get(), failure));
        } catch (ProblemException | Refusal failure) {
            return failed(request, action, namespace.get(), failure);
        }
    }

    private Response.Ready failed(Request request, Action action, String namespace, Throwable failure) {
        return switch (failure) {
            case ProblemException refused when Errors.areWantedAsProblem(request) -> throw refused;
            case ProblemException refused -> errors.answer(request, action, namespace, refused.problem());
            case Refusal refusal -> refused(request, refusal);
            case RuntimeException unexpected -> throw unexpected;
            default -> throw new IllegalStateException(failure);
        };
    }

    private Response.Ready refused(Request request, Refusal refusal) {
        if (Errors.areWantedAsProblem(request)) {
            throw Errors.toProblem(refusal).raise();
        }
        return errors.answer(request, refusal);
    }

    private Response run(Request request, Action action, AtomicReference<String> namespace) {
        var account = request.caller().account();
        if (account.isEmpty()) {
            throw CredentialHeaders.refusal(request.require(Sent.KEY).request().headers());
        }
        var body = ActionBody.parse(action, request.body().bytes());
        var source = body.text("dataSource");
        var database = body.text("database");
        var collection = body.text("collection");
        namespace.set(ShortText.of(database + "." + collection, MAX_QUOTED));
        LOG.debug("request {}: {} of {}", request.id(), action, namespace);
        if (!config.dataSources().isEmpty() && !config.dataSources().contains(source)) {
            throw new Refusal(
                    400, "ServiceNotFound", "cannot find service named '" + ShortText.of(source, MAX_QUOTED) + "'");
        }
        if (!config.roles().isEmpty() && config.roles().stream().noneMatch(account.get()::hasRole)) {
            throw Errors.notPermitted(namespace.get());
        }
        var path = paths.ofCollection(request.connection(), database, collection)
                .orElseThrow(() -> Errors.notPermitted(namespace.get()));
        boolean canonical = ActionResponses.isCanonical(request.headers(), config.canonical());
        var inner = new Translation(action, body, path, paths, config, canonical).request();
        if (action == Action.insertOne || action == Action.insertMany) {
            var key = request.headers().first("Idempotency-Key");
            inner = key.isPresent() ? inner.withHeader("Idempotency-Key", key.get()) : inner;
        }
        boolean byId = inner.path().segments().size()
                > RequestPath.parse(path).segments().size();
        var answers = new ActionResponses(action, byId, canonical, config, request.lease());
        var sent = inner;
        var made = config.inserts().createCollections() && action.mayInsert(body)
                ? request.onThread(http -> {
                    createMissing(http, sent, database, path);
                    return outcome(http, sent);
                })
                : outcome(request, sent);
        return made.map(done -> warned(answers.answer(done), done.headers().all("Warning")))
                .recover(failure -> warned(answers.missing(failure), aboutId(body)));
    }

    private static Response.Ready warned(Response.Ready answer, List<String> lines) {
        var warned = answer;
        for (var line : lines) {
            warned = warned.withAlso("Warning", line);
        }
        return warned;
    }

    private static List<String> aboutId(ActionBody body) {
        return FilterMistakes.in("the filter", body.document("filter")).stream()
                .map(FoundWarnings::line)
                .toList();
    }

    /// Makes the collection if there is none and the caller may; otherwise the action says that it does not exist.
    private void createMissing(Request request, JudgedRequest action, String database, String collection) {
        try {
            requests.make(request, action.with(new Answer.Facts())).settled();
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.NAMESPACE_NOT_FOUND) {
                create(request, action, database, collection);
            }
        }
    }

    /// With its database, if a mount shows that.
    private void create(Request request, JudgedRequest action, String database, String collection) {
        var targets = paths.ofDatabase(request.connection(), database)
                .map(above -> List.of(collection, above, collection))
                .orElseGet(() -> List.of(collection));
        for (var target : targets) {
            try {
                requests.make(request, JudgedRequest.of(Structure.CREATE, target, "", Map.of(), action.via()))
                        .settled();
                if (target.equals(collection)) {
                    return;
                }
            } catch (ProblemException e) {
                if (e.problem().code() != ProblemCode.NAMESPACE_NOT_FOUND) {
                    return;
                }
            }
        }
    }

    /// Handles immediate and deferred refusals in the same way.
    private Response outcome(Request request, JudgedRequest inner) {
        try {
            return requests.make(request, inner);
        } catch (ProblemException refusal) {
            return Response.later(CompletableFuture.<Response.Ready>failedFuture(refusal), ready -> ready);
        }
    }

    /// The request as the client sent it, before its credentials were moved.
    private record Sent(Request request) {
        static final Key<Sent> KEY = Key.named("sent");
    }

    /// Counts and times actions. Labels are bounded: actions, versions and outcomes are closed sets. Thread-safe.
    private static final class ActionMeters {
        private final MeterRegistry registry;

        /// Looked up here, since the registry's own look-up costs more than to count.
        private final ConcurrentMap<Outcome, Counter> counters = new ConcurrentHashMap<>();

        private final ConcurrentMap<Action, Timer> timers = new ConcurrentHashMap<>();

        private record Outcome(Action action, String version, String outcome) {}

        ActionMeters(MeterRegistry registry) {
            this.registry = registry;
        }

        void done(Action action, String version, int status, long nanos) {
            var outcome = new Outcome(action, version, status < 400 ? "done" : status < 500 ? "refused" : "failed");
            counters.computeIfAbsent(outcome, this::counter).increment();
            timers.computeIfAbsent(action, this::timer).record(nanos, TimeUnit.NANOSECONDS);
        }

        private Counter counter(Outcome outcome) {
            return Counter.builder("data_api_actions")
                    .description("Actions of the Data API")
                    .tags("action", outcome.action().name(), "version", outcome.version(), "outcome", outcome.outcome())
                    .register(registry);
        }

        private Timer timer(Action action) {
            return Timer.builder("data_api_seconds")
                    .description("Duration of actions")
                    .tag("action", action.name())
                    .register(registry);
        }
    }
}
