package org.restheart.mongo;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.NOTHING_BOUND;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.NOT_IMPLEMENTED;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.function.Supplier;
import org.restheart.http.Cors;
import org.restheart.http.DataTarget;
import org.restheart.http.ErrorStyle;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.mongo.bulk.PostLines;
import org.restheart.mongo.changestream.ChangeStreams;
import org.restheart.mongo.changestream.OpenStream;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.cursor.CachedFinder;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.cursor.PositionedFinder;
import org.restheart.mongo.cursor.Writes;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.ParameterSettings;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.parameter.SessionParameter;
import org.restheart.mongo.parameter.Warnings;
import org.restheart.mongo.resource.Mounts;
import org.restheart.mongo.resource.Names;
import org.restheart.mongo.resource.ResourceKind;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.resource.UriSpace;

/// The data API: everything below the mounts. Thread-safe.
public final class MongoService implements Service, AutoCloseable {
    /// In bytes. Parsing more would keep other connections waiting.
    private static final int LARGEST_ON_IO_THREAD = 32 << 10;

    private final ParameterSettings parameterSettings;
    private final Mounts mounts;
    private final Metadata metadata;
    private final Existence existence;
    private final MongoRoutes routes;
    private final PositionedFinder positioned;
    private final Writes writes = new Writes();
    private final ForbiddenOperators forbiddenOperators;

    /// @param registry takes the meters of the data API
    public MongoService(MongoConfig config, MongoClient client, MeterRegistry registry) {
        this(config, client, new ChangeStreams(client, config.streams(), registry, _ -> true), registry);
    }

    /// @param streams of the same deployment; with a client of their own they cannot take requests' connections
    /// @param registry takes the meters of coalescing
    public MongoService(MongoConfig config, MongoClient client, ChangeStreams streams, MeterRegistry registry) {
        this.parameterSettings = config.parameterSettings();
        this.mounts = new Mounts(config.uri(), config.mounts());
        this.metadata = new Metadata(client, config.metadataTtl());
        this.existence = new Existence(metadata);
        this.forbiddenOperators = new ForbiddenOperators(config.querySecurity());
        this.routes = new MongoRoutes();
        var coalescer = new Coalescer(client, config.coalescing(), registry);
        var documents = new Documents(client);
        this.positioned = new PositionedFinder(client, documents, config.cursorPool(), registry);
        var finder = new CachedFinder(positioned, config.resultCache(), writes, registry);
        var continuations = new Continuations(client, documents, registry);
        var inspection = new PipelineInspection(config.querySecurity().pipelines());
        ReadRoutes.addTo(routes, client, finder, continuations, coalescer, metadata, inspection, config);
        metadata.onChange(streams::changed);
        routes.on(ResourceKind.CHANGE_STREAM, Method.GET, new OpenStream(streams, config.streams(), inspection));
        WriteRoutes.addTo(routes, new Collections(client), coalescer, metadata, config);
    }

    /// What the data API remembers of databases and collections, for services that change them otherwise.
    public Metadata metadata() {
        return metadata;
    }

    /// What is told of writes, for services that change documents otherwise.
    public Writes writes() {
        return writes;
    }

    /// Closes what is held open in MongoDB between requests.
    @Override
    public void close() {
        positioned.close();
    }

    @Override
    public String name() {
        return "mongo";
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.STATUS;
    }

    /// Coalesced reads and inserts of what is known need no thread; anything else says so when it gets there.
    @Override
    public boolean startsOnIoThread(Request request) {
        return switch (request.method()) {
            case GET -> true;
            case POST -> request.body().length() <= LARGEST_ON_IO_THREAD;
            case HEAD, PUT, PATCH, DELETE, OPTIONS -> false;
        };
    }

    @Override
    public boolean streamsContent(Request request) {
        return PostLines.isFor(request);
    }

    @Override
    public Request prepare(Request request) {
        var located = mounts.resolve(request.path(), request.connection())
                .orElseThrow(() -> Problem.of(
                                NOTHING_BOUND,
                                "No MongoDB resource bound for "
                                        + request.path().decoded())
                        .raise());
        var path = located.path();
        var content = PostLines.isFor(request)
                ? RequestContent.arriving(() -> DataContent.parse(request))
                : new RequestContent(() -> DataContent.parse(request));
        return request.with(request.attributes()
                .with(ResourcePath.KEY, path)
                .with(UriSpace.KEY, located.space())
                .with(DataTarget.KEY, DataTargets.of(request, path))
                .with(RequestContent.KEY, content));
    }

    @Override
    public Cors cors(Request request) {
        return request.attribute(ResourcePath.KEY)
                .map(path -> keyed(request, path.kind().cors(request.method())))
                .orElseGet(() -> ResourceKind.INVALID.cors(request.method()));
    }

    /// A script that asks for it may send a key.
    private static Cors keyed(Request request, Cors cors) {
        boolean asks = request.method() == Method.OPTIONS
                && cors.allowMethods().contains("POST")
                && request.headers()
                        .first("Access-Control-Request-Headers")
                        .filter(names -> names.toLowerCase(Locale.ROOT).contains("idempotency-key"))
                        .isPresent();
        return asks
                ? new Cors(cors.allowMethods(), cors.allowHeaders() + ", Idempotency-Key", cors.exposeHeaders())
                : cors;
    }

    @Override
    public Response handle(Request request) {
        var warnings = Warnings.of(request.query(), parameterSettings);
        if (warnings.isEmpty()) {
            return answer(request);
        }
        try {
            return answer(request).map(response -> WarningsBody.add(request, response, warnings));
        } catch (ProblemException e) {
            throw e.problem().withWarnings(warnings).raise();
        }
    }

    /// Checks in the contract's order: names, parameters, existence, session, method.
    private Response answer(Request request) {
        var path = request.require(ResourcePath.KEY);
        Names.check(path);
        var parameters = Parameters.parse(request, path, parameterSettings);
        forbiddenOperators.check(parameters);
        var fresh = parameters.noCache() || path.kind().changesProperties(request.method());
        var resource = existence.require(request, path, fresh);
        var session = SessionParameter.parse(request.query());
        if (!path.kind().allows(request.method())) {
            throw Problem.of(METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed")
                    .raise();
        }
        if (path.surplus() && path.kind() != ResourceKind.CHANGE_STREAM) {
            throw Problem.of(NOT_FOUND, "nothing is bound below " + path.kind()).raise();
        }
        if (session.isPresent()) {
            throw Problem.of(NOT_IMPLEMENTED, "sessions are not available").raise();
        }
        var handler = routes.find(path.kind(), request.method())
                .orElseThrow(
                        () -> Problem.of(NOT_IMPLEMENTED, request.method() + " is not available for " + path.kind())
                                .raise());
        var dataRequest = new DataRequest(request, path, parameters, resource);
        HiddenFields.check(dataRequest);
        return request.method() == Method.GET
                ? handler.handle(dataRequest)
                : writing(path, () -> handler.handle(dataRequest));
    }

    /// Lets earlier results go when a write is done, also when it fails, since part of it may have been done.
    private Response writing(ResourcePath path, Supplier<Response> write) {
        try {
            return write.get().map(done -> {
                written(path);
                return done;
            });
        } finally {
            written(path);
        }
    }

    private void written(ResourcePath path) {
        if (path.db() == null || path.collection() == null) {
            writes.writtenAnywhere();
        } else {
            writes.written(new MongoNamespace(path.db(), path.collection()));
        }
    }
}
