package org.restheart.graphql;

import graphql.ErrorType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.CacheMeter;
import org.restheart.http.CancellableCall;
import org.restheart.http.Cors;
import org.restheart.http.ErrorStyle;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.attribute.Key;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadRights;

/// `POST {uri}/{app}`: answers operations on the apps that are defined; a subscription as server-sent events.
/// `GET {uri}/{app}` as a WebSocket: answers subscriptions. Thread-safe.
public final class GraphqlService implements Service, AutoCloseable {
    /// The database of definitions for this request, in place of the configured one.
    public static final Key<String> DEFINITIONS_DATABASE = Key.named("database of app definitions");

    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    private static final int LARGEST_ON_IO_THREAD = 16 << 10;

    /// Characters of a path in an error.
    private static final int MAX_PATH = 200;

    private final GraphqlConfig config;
    private final AppCatalog catalog;
    private final QueryRunner runner;
    private final Subscriptions subscriptions;
    private final GraphqlSockets sockets;
    private final PushBounds bounds;
    private final int skippedSegments;

    /// @param following makes a follower of the definitions for an observer of their databases
    /// @param rights the read rights of a request on a collection; may block
    /// @param streams opens the streams of subscriptions
    public GraphqlService(
            GraphqlConfig config,
            Function<Consumer<String>, CollectionChanges> following,
            DocumentReads reads,
            BiFunction<Request, Source, ReadRights> rights,
            SourceStreams streams,
            PushBounds bounds,
            SubscriptionObserver observer) {
        this.config = config;
        this.bounds = bounds;
        this.catalog = new AppCatalog(following, reads, config);
        this.runner = new QueryRunner(
                config, reads, rights, new ResultMemory(config.answers().maxBytes()));
        this.subscriptions = new Subscriptions(runner, streams, catalog, observer, bounds.authorizations());
        this.sockets = new GraphqlSockets(subscriptions, bounds);
        this.skippedSegments = RequestPath.parse(config.uri()).segments().size();
    }

    /// The guard of definitions in the data API.
    public DefinitionGuard guard() {
        return new DefinitionGuard(config, catalog);
    }

    /// What the cache of apps does.
    public CacheMeter meter() {
        return catalog.meter();
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.GRAPHQL;
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Request prepare(Request request) {
        boolean isWebSocket = request.method() == Method.GET && WebSocketHandshake.isAsked(request.headers());
        if (request.method() != Method.POST && request.method() != Method.OPTIONS && !isWebSocket) {
            throw (request.method() == Method.HEAD
                            ? Problem.bare(ProblemCode.METHOD_NOT_ALLOWED)
                            : Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "Method Not Allowed"))
                    .raise();
        }
        return request;
    }

    /// Requests that load one document need no thread of their own. Before an app has had one, all its requests
    /// start on theirs.
    @Override
    public boolean startsOnIoThread(Request request) {
        return request.method() == Method.POST
                && !request.body().isLongerThan(LARGEST_ON_IO_THREAD)
                && catalog.known(place(request))
                        .filter(app -> app.queries().hasSingleReads())
                        .isPresent();
    }

    @Override
    public Response handle(Request request) {
        try {
            var place = place(request);
            var app = place.uri().isEmpty() ? Optional.<ServedApp>empty() : catalog.find(place, request);
            return app.map(found -> answer(request, new AppCatalog.Served(place, found)))
                    .orElseGet(() -> notFound(request));
        } catch (InvalidApp e) {
            return GraphqlErrors.outcome(
                            400, "Invalid GraphQL app definition: " + e.getMessage(), ErrorType.ExecutionAborted)
                    .response();
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.DATABASE_UNAVAILABLE) { // the definition cannot be read
                return GraphqlErrors.unavailable(e.problem()).response();
            }
            throw e;
        }
    }

    /// Names the path only: who may ask for one path may not know of the apps at others.
    private Response notFound(Request request) {
        var names = names(request);
        var path = request.path().raw();
        var hint = names.isEmpty()
                ? "the path names no app; it is " + config.uri() + "/{app}"
                : "no app is served at " + (path.length() > MAX_PATH ? path.substring(0, MAX_PATH) + "..." : path);
        return GraphqlErrors.outcome(404, "GraphQL app not found", ErrorType.ExecutionAborted, hint)
                .response();
    }

    private List<String> names(Request request) {
        var segments = request.path().segments();
        return segments.subList(Math.min(skippedSegments, segments.size()), segments.size());
    }

    /// Empty segments and encoded slashes are in no app's path: access rules see another path.
    private AppCatalog.Place place(Request request) {
        var names = names(request);
        boolean differs = names.stream().anyMatch(name -> name.isEmpty() || name.contains("/"));
        var uri = differs ? "" : String.join("/", names);
        var database = request.attribute(DEFINITIONS_DATABASE)
                .orElse(config.definitions().getDatabaseName());
        return new AppCatalog.Place(database, uri);
    }

    private Response answer(Request request, AppCatalog.Served served) {
        if (request.method() == Method.GET) {
            request.requireThread();
            return sockets.open(request, served);
        }
        var asked = QueryRequest.of(request);
        if (!EventStreams.areAccepted(request)) {
            return runner.start(request, served.app(), asked).orElseGet(() -> {
                request.requireThread();
                return CancellableCall.of(
                        "graphql-query",
                        () -> warned(
                                asked,
                                runner.run(request, served.app(), asked, SubscriptionRoot.NONE, Map.of())
                                        .response()));
            });
        }
        request.requireThread();
        var resumeAfter = request.headers()
                .first("Last-Event-ID")
                .filter(id -> !id.isEmpty())
                .or(asked::resumeAfter);
        return switch (subscriptions.start(request, served, asked, resumeAfter)) {
            case QueryOutcome outcome ->
                warned(asked, EventStreams.areRequired(request) ? EventStreams.complete(outcome) : outcome.response());
            case OperationResult.OpenSubscription open -> EventStreams.results(open, bounds, request);
        };
    }

    private static Response.Ready warned(QueryRequest asked, Response.Ready response) {
        for (var text : asked.warnings()) {
            response = response.withAlso("Warning", FoundWarnings.line(text));
        }
        return response;
    }

    @Override
    public void close() {
        catalog.close();
    }
}
