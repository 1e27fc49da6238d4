package org.restheart.dataapi;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
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
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonToken;

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
            return Errors.unknown(request, address.fault(request.path()));
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

    /// The addresses of actions, `{uri}/{appId}/endpoint/data/{version}/action/{action}`. Immutable.
    private static final class ActionUri {
        /// Longer names are truncated in messages.
        private static final int MAX_QUOTED = 50;

        private final DataApiConfig config;
        private final int depth;
        private final List<String> versions;

        ActionUri(DataApiConfig config) {
            this.config = config;
            this.depth = RequestPath.parse(config.uri()).segments().size();
            this.versions =
                    config.versions().stream().sorted(Comparator.reverseOrder()).toList(); // v1 before beta
        }

        /// The action that a path names; empty for an unknown address.
        Optional<Action> action(RequestPath path) {
            var below = below(path);
            return isAction(below) && hasApp(below.getFirst()) && versions.contains(below.get(3))
                    ? Action.of(below.get(5))
                    : Optional.empty();
        }

        /// @param path of an action
        String version(RequestPath path) {
            return below(path).get(3);
        }

        /// What is wrong with an unknown address.
        String fault(RequestPath path) {
            var below = below(path);
            if (isAction(below) && hasApp(below.getFirst())) {
                var version = below.get(3);
                return versions.contains(version)
                        ? "there is no action " + quoted(below.get(5)) + instead(below.get(5), actions())
                        : "there is no version " + quoted(version) + instead(version, versions);
            }
            var app = isAction(below) ? "{app id}" : below.isEmpty() ? "{app id}" : quoted(below.getFirst());
            return (isAction(below)
                            ? "no such app id"
                            : isWithoutVersion(below) ? "the version is missing" : "no action")
                    + ": the address of an action is POST " + config.uri() + "/" + app + "/endpoint/data/"
                    + versions.getFirst() + "/action/"
                    + (isWithoutVersion(below) ? quoted(below.get(4)) : "{action}");
        }

        private List<String> below(RequestPath path) {
            var segments = path.segments();
            return segments.subList(Math.min(depth, segments.size()), segments.size());
        }

        private boolean hasApp(String id) {
            return config.appIds().isEmpty() || config.appIds().contains(id);
        }

        private static boolean isAction(List<String> below) {
            return below.size() == 6 && isData(below) && below.get(4).equals("action");
        }

        private static boolean isWithoutVersion(List<String> below) {
            return below.size() == 5 && isData(below) && below.get(3).equals("action");
        }

        private static boolean isData(List<String> below) {
            return below.get(1).equals("endpoint") && below.get(2).equals("data");
        }

        private static List<String> actions() {
            return Arrays.stream(Action.values()).map(Action::name).toList();
        }

        private static String instead(String name, List<String> known) {
            return Nearest.to(name, known)
                    .map(near -> "; did you mean " + near + "?")
                    .orElseGet(() -> "; there are " + String.join(", ", known));
        }

        private static String quoted(String name) {
            return ShortText.of(name, MAX_QUOTED);
        }
    }

    /// Translates an action to the equivalent request of the REST API.
    ///
    /// @param collection the path of the collection
    /// @param canonical whether documents are written as canonical Extended JSON
    private record Translation(
            Action action,
            ActionBody body,
            String collection,
            DataPaths paths,
            DataApiConfig config,
            boolean canonical) {

        private static final byte[] STAGES = "{\"stages\": ".getBytes(StandardCharsets.US_ASCII);

        JudgedRequest request() {
            if (action.needsFilter()) {
                body.requireObject("filter");
            }
            return switch (action) {
                case findOne ->
                    id().map(id -> read(Read.GET, id, new EnumMap<>(DataParameter.class)))
                            .orElseGet(() -> find(1));
                case find ->
                    find((int) Math.min(body.integer("limit", limits().documents()), limits().mostDocuments()));
                case insertOne -> write(Write.INSERT, "").withContent(storable("document", JsonToken.START_OBJECT));
                case insertMany ->
                    write(Write.INSERT, "")
                            .with(DataWrite.ORDERED, config.inserts().ordered())
                            .withContent(storable("documents", JsonToken.START_ARRAY));
                case updateOne -> one(Write.UPDATE, Write.UPDATE_ONE).withContent(body.requireUpdate("update"));
                case updateMany -> write(Write.UPDATE_MANY, "").withContent(body.requireUpdate("update"));
                case replaceOne -> {
                    var content = storable("replacement", JsonToken.START_OBJECT);
                    yield one(Write.REPLACE, Write.REPLACE_ONE).withContent(content);
                }
                case deleteOne -> one(Write.DELETE, Write.DELETE_ONE);
                case deleteMany -> write(Write.DELETE_MANY, "");
                case aggregate -> aggregate();
            };
        }

        private byte[] storable(String name, JsonToken first) {
            var json = body.requireStorable(name, first);
            if (first == JsonToken.START_OBJECT
                    && body.document(name).keySet().stream().anyMatch(key -> key.startsWith("$"))) {
                throw Refusal.parameter(action.failure() + "field names must not begin with '$'");
            }
            return json;
        }

        /// A write of one document: the one whose id the filter names, or one that matches it.
        private JudgedRequest one(Write named, Write otherwise) {
            return id().map(id -> write(named, id)).orElseGet(() -> write(otherwise, ""));
        }

        /// The id of the document as in a path, if the filter is only an id that can be written in one.
        private Optional<String> id() {
            return paths.ofIdIn(body.document("filter"));
        }

        private JudgedRequest find(int limit) {
            var parameters = new EnumMap<DataParameter, String>(DataParameter.class);
            body.object("filter").ifPresent(filter -> parameters.put(DataParameter.FILTER, filter));
            body.object("sort").ifPresent(sort -> parameters.put(DataParameter.SORT, sort));
            if (action == Action.findOne || body.has("limit")) {
                parameters.put(DataParameter.PAGE_SIZE, Integer.toString(limit));
            }
            return read(Read.FIND, "", parameters)
                    .with(JudgedRequest.TIME_LIMIT, limits().time())
                    .with(Slice.KEY, new Slice(body.integer("skip", 0), limit));
        }

        private DataApiConfig.Limits limits() {
            return config.limits();
        }

        private JudgedRequest read(Read operation, String id, Map<DataParameter, String> parameters) {
            var all = new EnumMap<>(parameters);
            body.object("projection").ifPresent(projection -> all.put(DataParameter.KEYS, projection));
            return JudgedRequest.of(operation, collection, id, all, via())
                    .with(json(body.document("projection").containsKey("_etag")));
        }

        private JudgedRequest aggregate() {
            var pipeline = body.requireArray("pipeline");
            var content = ByteBuffer.allocate(STAGES.length + pipeline.length + 1)
                    .put(STAGES)
                    .put(pipeline)
                    .put((byte) '}')
                    .array();
            boolean namesTag = new String(pipeline, StandardCharsets.UTF_8).contains("_etag");
            return JudgedRequest.of(Read.AGGREGATE, collection, "", Map.of(), via())
                    .withContent(content)
                    .with(json(namesTag))
                    .with(Slice.KEY, new Slice(0, limits().mostDocuments() + 1, true, true))
                    .with(JudgedRequest.TIME_LIMIT, limits().time());
        }

        /// @param id as in a path; empty for what matches the filter
        private JudgedRequest write(Write operation, String id) {
            var parameters = new EnumMap<DataParameter, String>(DataParameter.class);
            if (operation != Write.INSERT && id.isEmpty()) {
                body.object("filter").ifPresent(filter -> parameters.put(DataParameter.FILTER, filter));
            }
            if (operation != Write.INSERT && action.mayInsert(body)) {
                parameters.put(DataParameter.WRITE_MODE, "upsert");
            }
            return JudgedRequest.of(operation, collection, id, parameters, via())
                    .with(JudgedRequest.TIME_LIMIT, limits().time());
        }

        private Via via() {
            return Via.of(Via.Service.DATA_API, action.name());
        }

        private Answer json(boolean withTag) {
            var mode = canonical
                    ? withTag ? JsonMode.EXTENDED : JsonMode.EXTENDED_UNTAGGED
                    : withTag ? JsonMode.ATLAS : JsonMode.ATLAS_UNTAGGED;
            return new Answer.Json(mode, ActionResponses.frame(action));
        }
    }
}
