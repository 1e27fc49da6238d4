package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import graphql.ErrorType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.RawDocuments;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
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
import org.restheart.http.Handler;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.Account;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.DataTarget;
import org.restheart.http.attribute.Key;
import org.restheart.http.module.SubscriptionObserver;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.PushBudget;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.rest.WarningsBody;
import org.restheart.rest.changestream.AuthorizationWatch;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.parameter.SessionParameter;
import org.restheart.rest.reading.DocumentReads;

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
            throw Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "Method Not Allowed")
                    .withHints(List.of("operations are sent by POST"))
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
                    .orElseThrow(() -> notFound(request));
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
    private ProblemException notFound(Request request) {
        var names = names(request);
        var path = request.path().raw();
        var hint = names.isEmpty()
                ? "the path names no app; it is " + config.uri() + "/{app}"
                : "no app is served at " + (path.length() > MAX_PATH ? path.substring(0, MAX_PATH) + "..." : path);
        return Problem.of(ProblemCode.NOT_FOUND, "GraphQL app not found")
                .withHints(List.of(hint))
                .raise();
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

    /// Guards requests of the data API to the collection of app definitions, by any path: authorizes
    /// writes, refuses invalid definitions, escapes keys, and updates served apps after writes.
    static final class DefinitionGuard implements Guard {
        private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

        private final GraphqlConfig config;
        private final AppCatalog catalog;

        /// Of the ids and paths of definitions that are being written: a request must see those of others
        /// before it stores its own. There is no lock for all definitions, since a write may wait in
        /// MongoDB.
        private final LoadingCache<String, Semaphore> locks =
                Caffeine.newBuilder().weakValues().build(_ -> new Semaphore(1));

        DefinitionGuard(GraphqlConfig config, AppCatalog catalog) {
            this.config = config;
            this.catalog = catalog;
        }

        @Override
        public Response guard(Request request, DataTarget target, Handler next) {
            return switch (target.operation()) {
                case Other.NONE -> next.handle(request);
                case Read.AGGREGATE -> writes(request, target, next);
                case Read _ -> next.handle(DocumentFormat.showing(request, EscapedKeys::unescape));
                case Write _, Structure _, Other _ -> writes(request, target, next);
            };
        }

        private Response writes(Request request, DataTarget target, Handler next) {
            checkWriter(request);
            var write = new DefinitionChecks();
            var checked = checked(request, target, write);
            var written = checked.attribute(DocumentCheck.KEY).isPresent()
                    ? inTurn(checked, target, next, write)
                    : following(checked, next);
            return written.map(answer -> {
                var warnings = List.copyOf(write.warnings);
                return warnings.isEmpty() ? answer : WarningsBody.add(request, answer, warnings);
            });
        }

        /// Writes definitions, each of which is checked before it is stored. Others with the same ids or
        /// paths wait while paths are compared and documents stored, not while many are compiled. A change
        /// is checked when MongoDB has locked the document already: so the id is locked before, as ids are
        /// before paths.
        private Response inTurn(Request request, DataTarget target, Handler next, DefinitionChecks write) {
            request.requireThread();
            try {
                if (target.operation().isChange()) {
                    target.id().ifPresent(id -> write.lock(Set.of(id(target.db().orElseThrow(), id))));
                }
                return following(request, next).settled();
            } finally {
                write.held.values().forEach(Semaphore::release);
            }
        }

        private static String id(String database, BsonValue id) {
            return "id " + database + " " + new BsonDocument("_id", id).toJson();
        }

        /// Whether a request is about definitions, or about their whole collection or database; those of
        /// another database, too, if the request is answered with that.
        @Override
        public boolean concerns(Request request, DataTarget target) {
            var definitions = config.definitions();
            var override = request.attribute(GraphqlService.DEFINITIONS_DATABASE);
            return target.db()
                            .filter(db -> db.equals(definitions.getDatabaseName())
                                    || override.filter(db::equals).isPresent())
                            .isPresent()
                    && target.collection()
                            .map(definitions.getCollectionName()::equals)
                            .orElse(true);
        }

        private void checkWriter(Request request) {
            var writers = config.writers();
            boolean may = writers.isEmpty()
                    || request.caller().account().map(Account::roles).orElse(List.of()).stream()
                            .anyMatch(writers::contains);
            if (!may) {
                throw new ProblemException(ProblemCode.FORBIDDEN, "this role may not write GraphQL App definitions");
            }
        }

        /// @param write by which the definitions are checked before they are stored
        private Request checked(Request request, DataTarget target, DefinitionChecks write) {
            if (target.collection().isEmpty()) {
                return request;
            }
            switch (target.operation()) {
                case Write.INSERT, Write.UPLOAD, Write.REPLACE, Write.UPDATE, Write.DELETE -> {}
                case Write _ ->
                    throw new ProblemException(
                            ProblemCode.NOT_IMPLEMENTED,
                            "GraphQL App definition cannot be updated with bulk patch requests");
                case Read _, Structure _, Other _ -> {
                    return request;
                }
            }
            if (SessionParameter.namesTransaction(request.query())) {
                throw new ProblemException(
                        ProblemCode.CONFLICT,
                        "GraphQL App definitions are written outside of transactions only: until one is committed,"
                                + " others do not see which path it has");
            }
            if (target.operation() == Write.DELETE) {
                return request;
            }
            var content = request.require(RequestContent.KEY);
            if (content.isUnread()) {
                throw new ProblemException(
                        ProblemCode.CONTENT_TYPE_UNSUPPORTED, "GraphQL App definitions cannot be written as lines");
            }
            boolean isArray = content.value().isArray();
            return request.with(RequestContent.KEY, new RequestContent(() -> escaped(target, content.value())))
                    .with(
                            DocumentCheck.KEY,
                            documents -> write.check(target.db().orElseThrow(), documents, isArray));
        }

        /// Keys of a change name operators and paths; below these they are escaped.
        private static BsonValue escaped(DataTarget target, BsonValue content) {
            if (!target.operation().isChange()) {
                return EscapedKeys.escape(content);
            }
            if (!content.isDocument()) {
                return content;
            }
            var change = new BsonDocument();
            content.asDocument().forEach((key, value) -> change.append(key, escapedMember(key, value)));
            return change;
        }

        private static BsonValue escapedMember(String key, BsonValue value) {
            if (!key.startsWith("$") || !value.isDocument()) {
                return EscapedKeys.escape(value);
            }
            var operands = new BsonDocument();
            value.asDocument().forEach((path, operand) -> operands.append(path, EscapedKeys.escape(operand)));
            return operands;
        }

        /// Updates served apps after a write, also after a failed one, whose outcome is unknown.
        private Response following(Request checked, Handler next) {
            Response response;
            try {
                response = next.handle(checked);
            } catch (ProblemException refused) {
                throw refused;
            } catch (RuntimeException | Error failure) {
                catalog.written();
                throw failure;
            }
            return response.whenDone(catalog::written);
        }

        /// The checks of the definitions that one request writes, and what these say without effect.
        /// Thread-safe as its request is.
        private final class DefinitionChecks {
            private final Set<String> warnings = Collections.synchronizedSet(new LinkedHashSet<>());
            private final Map<String, Semaphore> held = Collections.synchronizedMap(new HashMap<>());

            /// Blocks while others write definitions with these names.
            void lock(Collection<String> names) {
                for (var name : new TreeSet<>(names)) { // in one order, so that nobody waits for each other
                    if (!held.containsKey(name)) {
                        var lock = locks.get(name);
                        if (!isTaken(lock)) {
                            throw Problem.overloaded(
                                            "GraphQL App definitions with the same id or path are being written")
                                    .raise();
                        }
                        held.put(name, lock);
                    }
                }
            }

            private static boolean isTaken(Semaphore lock) {
                try {
                    return lock.tryAcquire(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }

            /// Blocks.
            ///
            /// @param isArray whether messages tell one of several documents
            /// @throws org.restheart.http.ProblemException 400 for a definition that is invalid, 409 for a
            ///     path that another one has
            void check(String database, List<? extends BsonDocument> documents, boolean isArray) {
                var uris = new ArrayList<Set<String>>();
                var names = new HashSet<String>();
                for (int i = 0; i < documents.size(); i++) {
                    var place = place(i, isArray);
                    try {
                        var app = catalog.compile(RawDocuments.encode(documents.get(i)), database, true);
                        uris.add(app.app().uris().all());
                        uris.getLast().forEach(uri -> names.add("uri " + database + " " + uri));
                        Optional.ofNullable(documents.get(i).get("_id")).ifPresent(id -> names.add(id(database, id)));
                        warnings(database, app).forEach(warning -> warnings.add(warning + place));
                    } catch (InvalidApp e) {
                        throw new ProblemException(
                                ProblemCode.CONTENT_INVALID,
                                "Wrong GraphQL App definition" + place + ": " + e.getMessage());
                    }
                }
                lock(names);
                checkPaths(database, documents, uris, isArray);
            }

            /// The text with which messages tell one of several documents.
            private static String place(int index, boolean isArray) {
                return isArray ? " in document at index positon " + index : ""; // spelt so in the contract
            }

            private List<String> warnings(String database, ServedApp app) {
                var warnings = new ArrayList<>(catalog.warnings(app, database));
                app.app()
                        .uris()
                        .declared()
                        .filter(uri -> ("/" + uri).startsWith(config.uri() + "/"))
                        .ifPresent(uri -> warnings.add("descriptor.uri is below " + config.uri()
                                + ", so that the app is served at " + config.uri() + "/" + uri));
                return warnings;
            }

            /// @param uris of each document
            private void checkPaths(
                    String database, List<? extends BsonDocument> documents, List<Set<String>> uris, boolean isArray) {
                var candidates = catalog.candidates(
                        database, uris.stream().flatMap(Set::stream).toList());
                var taken = new HashSet<String>();
                for (int i = 0; i < documents.size(); i++) {
                    var id = documents.get(i).get("_id");
                    for (var uri : uris.get(i)) {
                        boolean collides = !taken.add(uri)
                                || candidates.getOrDefault(uri, List.of()).stream()
                                        .anyMatch(other -> !Objects.equals(other.get("_id"), id));
                        if (collides) {
                            throw new ProblemException(
                                    ProblemCode.CONFLICT,
                                    "Wrong GraphQL App definition" + place(i, isArray)
                                            + ": URI collision: another GraphQL app is already accessible at /" + uri);
                        }
                    }
                }
            }
        }
    }
}
