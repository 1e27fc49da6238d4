package org.restheart.graphql;

import graphql.ErrorType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.restheart.graphql.GraphqlSockets.Subscriptions;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Accepted;
import org.restheart.http.CacheMeter;
import org.restheart.http.CancellableCall;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.EventStream;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Guard;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.CallerScope;
import org.restheart.http.attribute.Key;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.PushBudget;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.changestream.AuthorizationWatch;
import org.restheart.mongo.reading.DocumentReads;

/// `POST {uri}/{app}`: answers operations on the apps that are defined; a subscription as server-sent
/// events. `GET {uri}/{app}` as a WebSocket: answers subscriptions. Thread-safe.
public final class GraphqlService implements Service, AutoCloseable {
    /// The database of definitions for this request, in place of the configured one.
    public static final Key<String> DEFINITIONS_DATABASE = Key.named("database of app definitions");

    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    /// Characters of a path in an error.
    private static final int MAX_PATH = 200;

    private final GraphqlConfig config;
    private final AppCatalog catalog;
    private final QueryRunner runner;
    private final Subscriptions subscriptions;
    private final GraphqlSockets sockets;
    private final PushBounds bounds;
    private final int skippedSegments;

    /// @param memory of results while they are computed
    /// @param following makes a follower of the definitions for an observer of their databases
    public GraphqlService(
            GraphqlConfig config,
            Function<Consumer<String>, CollectionChanges> following,
            DocumentReads reads,
            MemoryBudget memory,
            SourceAccess access,
            PushBounds bounds,
            SubscriptionObserver observer) {
        this.config = config;
        this.bounds = bounds;
        this.catalog = new AppCatalog(following, reads, config);
        this.runner = new QueryRunner(
                config, reads, access, new ResultMemory(config.answers().maxBytes(), memory));
        this.subscriptions = new Subscriptions(runner, access, catalog, observer, bounds.authorizations());
        this.sockets = new GraphqlSockets(subscriptions, bounds);
        this.skippedSegments = RequestPath.parse(config.uri()).segments().size();
    }

    /// The guard of definitions in the data API.
    public Guard guard() {
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

    @Override
    public Response handle(Request request) {
        try {
            var location = location(request);
            var app = location.uri().isEmpty() ? Optional.<ServedApp>empty() : catalog.find(location);
            return app.map(found -> answer(request, new AppCatalog.Served(location, found)))
                    .orElseGet(() -> notFound(request));
        } catch (InvalidApp e) {
            return QueryOutcome.error(
                            400, "Invalid GraphQL app definition: " + e.getMessage(), ErrorType.ExecutionAborted)
                    .response(request.lease());
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.DATABASE_UNAVAILABLE) { // the definition cannot be read
                return QueryOutcome.unavailable(e.problem()).response(request.lease());
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
        return QueryOutcome.error(404, "GraphQL app not found", ErrorType.ExecutionAborted, hint)
                .response(request.lease());
    }

    private List<String> names(Request request) {
        var segments = request.path().segments();
        return segments.subList(Math.min(skippedSegments, segments.size()), segments.size());
    }

    /// Empty segments and encoded slashes are in no app's path: access rules see another path.
    private AppCatalog.Location location(Request request) {
        var names = names(request);
        boolean differs = names.stream().anyMatch(name -> name.isEmpty() || name.contains("/"));
        var uri = differs ? "" : String.join("/", names);
        var database = request.attribute(DEFINITIONS_DATABASE)
                .orElse(config.definitions().getDatabaseName());
        return new AppCatalog.Location(database, uri);
    }

    private Response answer(Request request, AppCatalog.Served served) {
        if (request.method() == Method.GET) {
            return sockets.open(request, served);
        }
        var asked = QueryRequest.of(request);
        if (!EventStreams.areAccepted(request)) {
            return CancellableCall.of(
                    "graphql-query",
                    () -> warned(
                            asked,
                            runner.run(request, served.app(), asked, SubscriptionRoot.NONE, Map.of())
                                    .response(request.lease())));
        }
        var resumeAfter = request.headers()
                .first("Last-Event-ID")
                .filter(id -> !id.isEmpty())
                .or(asked::resumeAfter);
        return switch (subscriptions.start(request, served, asked, resumeAfter)) {
            case QueryOutcome outcome ->
                warned(
                        asked,
                        EventStreams.areRequired(request)
                                ? EventStreams.complete(outcome, request.lease())
                                : outcome.response(request.lease()));
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

    /// Limits of connections on which results of subscriptions are sent.
    ///
    /// @param keepAlive interval of keep-alive messages on idle connections; zero for none
    /// @param maxSockets most WebSockets at once; of one caller no more than are free
    /// @param maxMessages most queued messages per connection
    /// @param maxBytes most queued bytes per connection
    /// @param budget of queued bytes, all connections together
    /// @param authorizations ends connections that are no longer authorized
    public record PushBounds(
            Duration keepAlive,
            int maxSockets,
            int maxMessages,
            long maxBytes,
            PushBudget budget,
            AuthorizationWatch authorizations) {
        /// For the current caller.
        Backlog backlog() {
            return new Backlog(maxMessages, maxBytes, budget, CallerScope.current());
        }
    }

    /// Observes subscriptions on WebSockets, which have no request of their own, so that log and metrics
    /// contain them.
    @FunctionalInterface
    public interface SubscriptionObserver {
        /// Called once when a subscription has ended, or has been refused; must not block.
        ///
        /// @param request that opened the connection
        /// @param status that a request would have been answered with
        /// @param bytes of results
        /// @param nanos from the message that requests it to its end
        void ended(Request request, NamedOperation operation, int status, long bytes, long nanos);
    }

    /// Server-sent events of one operation: the protocol graphql-sse in its mode of distinct connections.
    /// Events of subscriptions have ids; a client that sends one as `Last-Event-ID` resumes after it.
    /// Thread-safe.
    private static final class EventStreams {
        private static final String MEDIA_TYPE = "text/event-stream; charset=UTF-8";

        private EventStreams() {}

        /// Whether the client accepts events.
        static boolean areAccepted(Request request) {
            return EventStream.isAccepted(request.headers());
        }

        /// Whether the client accepts events only, and no other format of results.
        static boolean areRequired(Request request) {
            var accepted = Accepted.of(request.headers());
            return areAccepted(request)
                    && accepted.weight("application/json") == 0
                    && accepted.weight("application/graphql-response+json") == 0;
        }

        /// One result.
        static Response.Ready complete(QueryOutcome outcome, Lease lease) {
            var next =
                    Frame.event("", "next", ByteBuffer.wrap(outcome.json()), 0).bytes();
            var end = Frame.event("", "complete", ByteBuffer.allocate(0), 0).bytes();
            var both = ByteBuffer.allocate(next.remaining() + end.remaining())
                    .put(next)
                    .put(end);
            return EventStream.head().with(MEDIA_TYPE, new Content.Bytes(both.flip(), lease));
        }

        /// The results of a subscription. No message `complete` is sent: the subscription ends with its
        /// connection, and a client that reconnects resumes it.
        ///
        /// @param request to which they are the response, whose rights to the app end them too
        static Response.Ready results(
                OperationResult.OpenSubscription subscription, PushBounds bounds, Request request) {
            var backlog = bounds.backlog();
            var results = new AtomicReference<ResponseStream>();
            var stream = subscription.results(new ResponseStream.Receiver() {
                @Override
                public void began(Frame position) {
                    offer(position);
                }

                @Override
                public void next(SourceEvent event, QueryOutcome result, long since) {
                    offer(Frame.event(event.token(), "next", ByteBuffer.wrap(result.json()), since));
                }

                private void offer(Frame frame) {
                    if (backlog.offer(frame) != Backlog.Offer.TAKEN && results.get() != null) {
                        results.get().close();
                    }
                }

                @Override
                public void ended(Ending why) {
                    backlog.end(why);
                }
            });
            results.set(stream);
            stream.start();
            var forget = bounds.authorizations().watch(backlog, request);
            return EventStream.head()
                    .with(
                            MEDIA_TYPE,
                            new Content.Push(new Subscription(
                                    Transport.SSE,
                                    backlog,
                                    subscription.source().keepAlive(),
                                    subscription.source().onSent(),
                                    () -> {
                                        forget.run();
                                        stream.close();
                                    })));
        }
    }
}
