package org.restheart.openapi;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonMode;
import org.restheart.http.Accepted;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Digests;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.openapi.AccessEvaluation.Options;
import org.restheart.openapi.AccessEvaluation.Scope;
import org.restheart.openapi.DescriptionWriter.DocumentMetadata;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.rest.MongoService;
import org.restheart.rest.description.Descriptions;
import org.restheart.rest.description.Shapes;
import org.restheart.text.Nearest;

/// `GET /_openapi`: the OpenAPI document of what the caller may do. Authorizes by itself: callers with at
/// least one permission get a document. Thread-safe.
public final class OpenApiService implements Service {
    private static final Cors CORS = new Cors("GET", Cors.DEFAULT_HEADERS + ", If-None-Match", "ETag");
    private static final Set<String> PARAMETERS = Set.of("typed", "sample", "jsonMode");
    private static final Set<String> BOOLEANS = Set.of("true", "false");
    private static final int MAX_BYTES = 8 << 20;
    private static final Set<JsonMode> MODES =
            EnumSet.of(JsonMode.DEFAULT, JsonMode.RELAXED, JsonMode.STRICT, JsonMode.EXTENDED, JsonMode.PLAIN);

    private final OpenApiConfig config;
    private final Server server;
    private final Descriptions descriptions;
    private final AccessEvaluation evaluation;
    private final KindPermissions permissions;
    private final CallerSecurity security;

    private final BsonDocument schemes;

    private final OpenApiMeters meters;
    private final List<String> segments;
    private final Cache<Key, Bytes> documents;

    /// Everything that determines the bytes of a document.
    private record Key(
            VisibleResources visible,
            List<ServiceOperations.Offer> services,
            DocumentMetadata metadata,
            boolean yaml) {}

    /// @param tag the entity tag, with quotes
    private record Bytes(ByteBuffer content, String tag) {}

    OpenApiService(OpenApiConfig config, Context context) {
        this.config = config;
        this.server = Server.of(context);
        this.descriptions = context.get(MongoService.class).descriptions();
        this.permissions = context.get(KindPermissions.class);
        this.security = context.get(CallerSecurity.class);
        this.schemes = security.schemes();
        this.meters = new OpenApiMeters(context.get(MeterRegistry.class));
        var shapes = descriptions.shapes(
                new Shapes.Settings(
                        config.sampleSize(), config.sampleTtl(), config.parallelSamples(), config.guessFormats()),
                meters::sampled);
        this.evaluation =
                new AccessEvaluation(config, descriptions, shapes, permissions, context.get(JudgedRequests.class));
        this.segments = RequestPath.parse(config.uri()).segments();
        this.documents = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(config.cacheBytes())
                .weigher((Key _, Bytes bytes) -> bytes.content().remaining())
                .build();
        meters.observe(documents);
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() != Method.GET) {
            throw new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed");
        }
        request.requireThread();
        long begun = System.nanoTime();
        var account = request.caller().account();
        if (account.isEmpty() && request.headers().has("Authorization")) { // which no mechanism has accepted
            throw security.challenge(request).raise();
        }
        if (account.isEmpty() && config.secured() && !showsEverything(false) && !evaluation.mayDoAnything(request)) {
            throw security.challenge(request).raise(); // before any work that depends on how much there is
        }
        check(request.query());
        var mode = mode(request);
        var path = path(request);
        var scope = scope(request, path);
        var visible = evaluation.visible(request, options(request, scope));
        var services = config.includeServices() && scope.equals(Scope.EVERYTHING)
                ? ServiceOperations.of(request, server.services(), permissions, visible)
                : List.<ServiceOperations.Offer>of();
        if (visible.isEmpty() && !scope.equals(Scope.EVERYTHING)) {
            throw notFound();
        }
        if (visible.isEmpty() && account.isEmpty() && config.secured()) {
            throw security.challenge(request).raise();
        }
        var url = url(request);
        var metadata = new DocumentMetadata(path.raw(), account.map(Account::name), url, mode, securitySchemes(url));
        var key = new Key(
                visible, services, metadata, Accepted.of(request.headers()).named("application/yaml") > 0);
        var bytes = ComputeLimit.SHARED.compute(() -> document(key));
        meters.answered(begun);
        return answer(request, bytes, key.yaml(), visible.pending());
    }

    /// A misspelt parameter would have no effect, and a document without the wanted schemas looks like one
    /// that has none.
    private static void check(Query query) {
        for (var name : query.names()) {
            if (!PARAMETERS.contains(name)) {
                Nearest.to(name, PARAMETERS).ifPresent(meant -> {
                    throw new ProblemException(
                            ProblemCode.PARAMETER_INVALID,
                            "unknown parameter " + name + "; did you mean " + meant + "?");
                });
            }
        }
        if (query.first("typed").filter(value -> !BOOLEANS.contains(value)).isPresent()) {
            throw new ProblemException(ProblemCode.PARAMETER_INVALID, "typed must be true or false");
        }
    }

    private Options options(Request request, Scope scope) {
        var account = request.caller().account();
        boolean root = server.rootRole()
                .flatMap(role -> account.filter(known -> known.hasRole(role)))
                .isPresent();
        return new Options(
                scope,
                request.query().first("typed").filter("false"::equals).isEmpty(),
                root && request.query().first("sample").filter("fresh"::equals).isPresent(),
                showsEverything(root));
    }

    /// Whether rules are ignored.
    private boolean showsEverything(boolean root) {
        return config.everything() && (root || config.everythingForAll());
    }

    /// The bytes of the document, cached unless samples are missing.
    private Bytes document(Key key) {
        var known = documents.getIfPresent(key);
        var bytes = known != null ? known : write(key);
        if (known == null && !key.visible().pending()) {
            documents.put(key, bytes);
        }
        meters.sent(known != null);
        return bytes;
    }

    private static Response answer(Request request, Bytes bytes, boolean yaml, boolean pending) {
        boolean current = request.headers().isCurrent(bytes.tag());
        var response = Response.status(current ? 304 : 200)
                .with("ETag", bytes.tag())
                .with("Cache-Control", pending ? "private, no-store" : "private, no-cache")
                .with("Vary", "Authorization, Cookie, Accept");
        return current
                ? response
                : response.with(
                        yaml ? "application/yaml" : "application/json",
                        new Content.Bytes(bytes.content().duplicate(), request.lease()));
    }

    private Bytes write(Key key) {
        var content = encoded(key, key.visible().generic());
        if (content.length > MAX_BYTES && !key.visible().generic()) {
            content = encoded(key, true);
        }
        return new Bytes(ByteBuffer.wrap(content), tag(content));
    }

    private byte[] encoded(Key key, boolean generic) {
        var document =
                new DescriptionWriter(config, server, key.metadata()).write(key.visible(), key.services(), generic);
        return Json.encode(document, key.yaml());
    }

    private static String tag(byte[] content) {
        return '"' + HexFormat.of().formatHex(Digests.sha256().digest(content), 0, 16) + '"';
    }

    /// The mechanisms, with the URLs of OAuth.
    private BsonDocument securitySchemes(String url) {
        if (!(schemes.get("oauth2") instanceof BsonDocument oauth)) {
            return schemes;
        }
        var absolute = oauth.clone();
        var flow = absolute.getDocument("flows").getDocument("authorizationCode");
        for (var key : List.of("authorizationUrl", "tokenUrl")) {
            flow.put(key, new BsonString(url + flow.getString(key).getValue()));
        }
        var complete = schemes.clone();
        complete.put("oauth2", absolute);
        return complete;
    }

    private static String url(Request request) {
        return request.connection().baseUrl();
    }

    private static JsonMode mode(Request request) {
        var text = request.query().first("jsonMode");
        return text.isEmpty()
                ? JsonMode.DEFAULT
                : JsonMode.of(text.get())
                        .filter(MODES::contains)
                        .orElseThrow(() -> new ProblemException(
                                ProblemCode.PARAMETER_INVALID,
                                "jsonMode must be one of default, relaxed, strict, extended, plain"));
    }

    /// The scope of the document: the rest of the path.
    private RequestPath path(Request request) {
        var all = request.path().segments();
        return RequestPath.of(all.subList(segments.size(), all.size()));
    }

    private Scope scope(Request request, RequestPath path) {
        if (path.segments().isEmpty()) {
            return Scope.EVERYTHING;
        }
        var found = descriptions
                .resolve(path, request.connection())
                .filter(resource ->
                        resource.db() != null && descriptions.databases().contains(resource.db()))
                .orElseThrow(OpenApiService::notFound); // without a query for missing databases
        return switch (found.kind()) {
            case DB -> new Scope(Optional.of(found.requireDb()), Optional.empty());
            case COLLECTION, FILES_BUCKET, SCHEMA_STORE ->
                new Scope(Optional.of(found.requireDb()), Optional.of(found.requireCollection()));
            default -> throw notFound();
        };
    }

    private static RuntimeException notFound() {
        return new ProblemException(ProblemCode.NOT_FOUND, "there is no such database or collection");
    }

    /// The metrics of OpenAPI documents. Thread-safe.
    private record OpenApiMeters(MeterRegistry registry) {
        /// Registers the size of the cache of documents.
        ///
        /// @param cache bounded by the bytes of its values
        void observe(Cache<?, ?> cache) {
            Gauge.builder(
                            "openapi_cache_bytes",
                            cache,
                            documents -> documents
                                    .policy()
                                    .eviction()
                                    .orElseThrow()
                                    .weightedSize()
                                    .orElse(0))
                    .description("Memory that kept descriptions take")
                    .register(registry);
        }

        void sampled(Shapes.Sample sample) {
            Counter.builder("openapi_samples")
                    .description("Samples of collections")
                    .tag("outcome", sample.outcome())
                    .register(registry)
                    .increment();
            Timer.builder("openapi_sample_seconds")
                    .description("Duration of samples")
                    .register(registry)
                    .record(sample.time());
        }

        /// @param cached whether the document had been written for an earlier request
        void sent(boolean cached) {
            Counter.builder("openapi_documents")
                    .description("Descriptions sent")
                    .tag("cached", Boolean.toString(cached))
                    .register(registry)
                    .increment();
        }

        /// @param begun when the request was received, in [System#nanoTime()]
        void answered(long begun) {
            Timer.builder("openapi_seconds")
                    .description("Time from request to description")
                    .register(registry)
                    .record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
        }
    }
}
