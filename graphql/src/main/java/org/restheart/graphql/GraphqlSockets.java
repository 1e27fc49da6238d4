package org.restheart.graphql;

import static org.restheart.bson.BsonValues.object;

import graphql.ErrorType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.graphql.GraphqlService.PushBounds;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.NamedOperation;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.SerialTasks;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.module.SubscriptionObserver;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Inbound;
import org.restheart.http.push.Inbound.Memory;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.rest.changestream.AuthorizationWatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens WebSockets for subscriptions. Thread-safe.
final class GraphqlSockets {
    private static final String PROTOCOL = "graphql-transport-ws";
    private static final int INITIALISATION_SECONDS = 10;

    private final Subscriptions subscriptions;
    private final PushBounds bounds;
    private final FairShares open;

    GraphqlSockets(Subscriptions subscriptions, PushBounds bounds) {
        this.subscriptions = subscriptions;
        this.bounds = bounds;
        this.open = new FairShares(bounds.maxSockets());
    }

    /// Answers the handshake.
    Response.Ready open(Request request, AppCatalog.Served served) {
        boolean speaks = request.headers().all("Sec-WebSocket-Protocol").stream()
                .flatMap(names -> Arrays.stream(names.split(",", -1)))
                .anyMatch(name -> name.strip().equals(PROTOCOL));
        if (!speaks) {
            return QueryOutcome.error(
                            400, "Sec-WebSocket-Protocol must contain " + PROTOCOL, ErrorType.ExecutionAborted)
                    .response(request.lease());
        }
        var answer = WebSocketHandshake.answer(request.headers());
        var caller = CallerScope.current();
        if (!open.tryTake(caller)) {
            throw Problem.of(
                            ProblemCode.OVERLOADED,
                            "too many connections: of the " + bounds.maxSockets()
                                    + " that there may be, one account or address has no more than are free")
                    .with("Retry-After", "5")
                    .raise();
        }
        return Response.status(101)
                .with(answer)
                .with("Sec-WebSocket-Protocol", PROTOCOL)
                .with(new Content.Push(subscription(request, served, caller)));
    }

    private Subscription subscription(Request request, AppCatalog.Served served, String caller) {
        var socket = new GraphqlSocket(request.blocking(), served, subscriptions, bounds.backlog());
        var timer = new CompletableFuture<Void>();
        var _ = timer.orTimeout(INITIALISATION_SECONDS, TimeUnit.SECONDS).whenComplete((_, timeout) -> {
            if (timeout != null && !socket.isInitialised()) {
                socket.end(Ending.INITIALISATION_TIMEOUT);
            }
        });
        var forget = bounds.authorizations().watch(socket.backlog(), request);
        var gone = new AtomicBoolean();
        return new Subscription(
                Transport.WEB_SOCKET,
                socket.backlog(),
                bounds.keepAlive(),
                socket::sent,
                () -> {
                    if (gone.compareAndSet(false, true)) {
                        var _ = timer.complete(null); // which would keep the socket and its request
                        open.release(caller);
                        forget.run();
                        socket.close();
                    }
                },
                Optional.of(socket),
                Optional::empty);
    }

    /// One WebSocket with the sub-protocol `graphql-transport-ws`. Only subscriptions are answered, each of
    /// which counts as a request: other operations are requests, which are logged and limited as such.
    /// Thread-safe.
    private static final class GraphqlSocket implements Inbound {
        private static final int MAX_MESSAGE = 1 << 20;
        private static final int MAX_WAITING = 100;
        private static final int MAX_WAITING_BYTES = 2 * MAX_MESSAGE;
        private static final int MAX_SUBSCRIPTIONS = 100;

        /// Bytes of the messages that began the subscriptions, so that there is always room for another
        /// message.
        private static final int MAX_SUBSCRIBED_BYTES = MAX_WAITING_BYTES - MAX_MESSAGE;

        private static final int MAX_ID = 200;
        private static final Logger LOG = LoggerFactory.getLogger(GraphqlSocket.class);
        private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.DEFAULT);

        private final Request request;
        private final AppCatalog.Served served;
        private final Subscriptions subscriptions;
        private final Backlog backlog;
        private final SerialTasks tasks = new SerialTasks("graphql-socket");
        private final Map<String, SocketSubscription> running = new ConcurrentHashMap<>();
        private final AtomicLong subscribedBytes = new AtomicLong();
        private volatile OperationResult.@Nullable OpenSubscription last;
        private volatile boolean initialized;
        private volatile boolean closed;

        /// @param request that opened it
        GraphqlSocket(Request request, AppCatalog.Served served, Subscriptions subscriptions, Backlog backlog) {
            this.request = request;
            this.served = served;
            this.subscriptions = subscriptions;
            this.backlog = backlog;
        }

        Backlog backlog() {
            return backlog;
        }

        boolean isInitialised() {
            return initialized;
        }

        void end(Ending why) {
            backlog.end(why);
        }

        /// Called when a message was written to the socket.
        void sent(Frame frame) {
            var any = last;
            if (any != null) {
                any.source().onSent().accept(frame); // all sources have the same
            }
        }

        /// Ends all subscriptions. Never blocks.
        void close() {
            closed = true;
            running.keySet().forEach(this::complete);
        }

        @Override
        public int maxBytes() {
            return MAX_MESSAGE;
        }

        @Override
        public int maxWaiting() {
            return MAX_WAITING_BYTES;
        }

        @Override
        public void received(byte[] message, Memory memory) {
            if (tasks.waiting() >= MAX_WAITING) {
                memory.release();
                end(Ending.TOO_MANY_REQUESTS);
            } else {
                tasks.execute(() -> {
                    var received = new SocketSubscription.ReceivedMessage(message, memory);
                    try {
                        handle(received);
                    } finally {
                        received.handled();
                    }
                });
            }
        }

        private void handle(SocketSubscription.ReceivedMessage received) {
            if (closed || backlog.hasEnded()) {
                return;
            }
            BsonDocument message;
            try {
                message = JsonParser.parseDocument(received.bytes());
            } catch (MalformedJsonException _) {
                end(Ending.BAD_MESSAGE);
                return;
            }
            switch (text(message, "type")) {
                case "connection_init" -> initialize();
                case "ping" -> send(object("type", "pong"));
                case "pong" -> {} // its arrival is noticed by the connection
                case "subscribe" -> subscribe(text(message, "id"), message.get("payload"), received);
                case "complete" -> complete(text(message, "id"));
                default -> end(Ending.BAD_MESSAGE);
            }
        }

        private static String text(BsonDocument message, String name) {
            return message.get(name) instanceof BsonString text ? text.getValue() : "";
        }

        private void initialize() {
            if (initialized) {
                end(Ending.TOO_MANY_REQUESTS);
                return;
            }
            initialized = true;
            send(object("type", "connection_ack"));
        }

        /// Ends a subscription, if there is one with the id.
        private void complete(String id) {
            var known = running.remove(id);
            if (known != null) {
                known.close();
                subscribedBytes.addAndGet(-known.message.bytes().length);
            }
        }

        private void subscribe(String id, @Nullable BsonValue payload, SocketSubscription.ReceivedMessage message) {
            if (!initialized) {
                end(Ending.UNAUTHORIZED);
            } else if (id.isEmpty() || id.length() > MAX_ID || payload == null || !payload.isDocument()) {
                end(Ending.BAD_MESSAGE);
            } else if (running.containsKey(id)) {
                end(Ending.SUBSCRIBER_EXISTS);
            } else if (request.caller().hasExpired(Instant.now())) {
                end(Ending.PERMISSION_LOST);
            } else if (running.size() >= MAX_SUBSCRIPTIONS) {
                refuse(id, "there are " + MAX_SUBSCRIPTIONS + " subscriptions on this connection already");
            } else if (subscribedBytes.get() + message.bytes().length > MAX_SUBSCRIBED_BYTES) {
                refuse(
                        id,
                        "the subscriptions on this connection have " + MAX_SUBSCRIBED_BYTES
                                + " bytes together at most");
            } else {
                start(id, payload.asDocument(), message);
            }
        }

        private void start(String id, BsonDocument payload, SocketSubscription.ReceivedMessage message) {
            var subscription = new SocketSubscription(id, message);
            try {
                request.attribute(NamedOperation.ADMISSION).ifPresent(Runnable::run);
                var asked = QueryRequest.of(payload, message);
                if (!subscriptions.isServed(served)) {
                    end(Ending.REDEFINED);
                } else if (!subscriptions.isAdmitted(request)) { // each subscription is a request for the app
                    end(Ending.PERMISSION_LOST);
                } else if (isOther(asked)) {
                    refuse(id, "only subscriptions are answered on a WebSocket: send other operations by POST");
                } else {
                    start(subscription, asked);
                }
            } catch (ProblemException e) {
                subscription.report(e.problem().code().status());
                refuse(id, e.problem().message());
            } catch (RuntimeException e) {
                LOG.error("a subscription could not be started", e);
                end(Ending.FAILED);
            }
        }

        private boolean isOther(QueryRequest asked) {
            var name = asked.operationName().orElse(null);
            return QueryRunner.query(served.app(), asked)
                    .map(served.app().queries()::find)
                    .filter(found -> !found.hasErrors() && !QueryCache.isSubscription(found, name))
                    .isPresent();
        }

        private void start(SocketSubscription subscription, QueryRequest asked) {
            var resumeAfter = asked.resumeAfter().filter(token -> !token.isEmpty());
            var observed = request.with(NamedOperation.OBSERVER, name -> subscription.operation = name);
            switch (subscriptions.start(observed, served, asked, resumeAfter)) {
                case QueryOutcome outcome -> {
                    subscription.report(outcome.status() == 200 ? 400 : outcome.status());
                    refuse(subscription.id, outcome);
                }
                case OperationResult.OpenSubscription open -> {
                    last = open;
                    var results = subscription.takes(open);
                    subscribedBytes.addAndGet(subscription.message.bytes().length);
                    running.put(subscription.id, subscription);
                    results.start();
                    if (closed) { // in the meantime
                        complete(subscription.id);
                    }
                }
            }
        }

        private void refuse(String id, QueryOutcome outcome) {
            var result = JsonParser.parseDocument(outcome.json());
            refuse(
                    id,
                    result.get("errors") instanceof BsonArray errors
                            ? errors
                            : errors("the subscription has no stream: its field is not mapped to one"));
        }

        private void refuse(String id, String why) {
            refuse(id, errors(why));
        }

        private static BsonArray errors(String why) {
            return QueryOutcome.errors(why, ErrorType.ExecutionAborted).getArray("errors");
        }

        private void refuse(String id, BsonArray errors) {
            send(object("id", id, "type", "error", "payload", errors));
        }

        private void send(BsonDocument message) {
            offer(JSON.encodeToString(message), 0);
        }

        private void offer(String json, long since) {
            var message = new Message("", json.getBytes(StandardCharsets.UTF_8), since);
            backlog.offer(message.framed(Transport.WEB_SOCKET));
        }

        /// One subscription on a [GraphqlSocket], which is observed like a request. Thread-safe.
        private final class SocketSubscription implements ResponseStream.Receiver {
            private final String id;
            private final ReceivedMessage message;
            private final long begun = System.nanoTime();
            private final LongAdder bytes = new LongAdder();
            private final AtomicBoolean reported = new AtomicBoolean();
            private volatile NamedOperation operation = new NamedOperation("", "");
            private volatile @Nullable ResponseStream stream;

            /// @param message with which the client began the subscription
            SocketSubscription(String id, ReceivedMessage message) {
                this.id = id;
                this.message = message;
            }

            /// A message, which counts until it is handled or, if it began a subscription, until that ends.
            /// Confined to the thread that handles it, but for [#release()].
            static final class ReceivedMessage implements Body {
                private final byte[] bytes;
                private final Memory memory;
                private boolean kept;

                ReceivedMessage(byte[] bytes, Memory memory) {
                    this.bytes = bytes;
                    this.memory = memory;
                }

                @Override
                public byte[] bytes() {
                    return bytes;
                }

                @Override
                public void hold(long more) {
                    memory.hold(more);
                }

                void handled() {
                    if (!kept) {
                        release();
                    }
                }

                /// May be called several times.
                void release() {
                    memory.release();
                }
            }

            /// Keeps the message, since the operation is executed again for each event.
            ResponseStream takes(OperationResult.OpenSubscription open) {
                message.kept = true;
                var results = open.results(this);
                stream = results;
                return results;
            }

            void close() {
                var results = stream;
                if (results != null) {
                    results.close();
                }
                message.release();
                report(200);
            }

            /// Reports its end, once.
            void report(int status) {
                if (reported.compareAndSet(false, true)) {
                    subscriptions.observer().ended(request, operation, status, bytes.sum(), System.nanoTime() - begun);
                }
            }

            /// Never called: a WebSocket does not ask for the position, for which its protocol has no
            /// message.
            @Override
            public void began(Frame position) {}

            @Override
            public void next(SourceEvent event, QueryOutcome result, long since) {
                bytes.add(result.json().length);
                var head = "{\"id\":" + JSON.encodeToString(new BsonString(id)) + ",\"type\":\"next\",\"payload\":";
                offer(head + new String(result.json(), StandardCharsets.UTF_8) + "}", since);
            }

            /// Completes the subscription, so that the client starts it again.
            @Override
            public void ended(Ending why) {
                complete(id);
                end(why);
            }
        }
    }

    /// Starts operations that may be subscriptions. Thread-safe.
    record Subscriptions(
            QueryRunner runner,
            SourceAccess access,
            AppCatalog catalog,
            SubscriptionObserver observer,
            AuthorizationWatch authorizations) {

        /// Executes the operation; if it is a subscription, its source stream is opened, and it is executed
        /// for each event.
        ///
        /// @param resumeAfter as [SourceAccess#open]
        OperationResult start(
                Request request, AppCatalog.Served served, QueryRequest asked, Optional<String> resumeAfter) {
            var opening = access.new Opening(request, resumeAfter);
            boolean started = false;
            try {
                var outcome = runner.run(request, served.app(), asked, opening, Map.of());
                if (opening.opened().isEmpty()) {
                    return outcome;
                }
                // its operation has been reported
                var later = request.blocking().with(Body.EMPTY).with(NamedOperation.OBSERVER, _ -> {});
                var open = new OperationResult.OpenSubscription(opening.opened().get(), new ResponseStream.Execution() {
                    @Override
                    public ResultMemory.Share open() {
                        return runner.memory().open();
                    }

                    @Override
                    public QueryOutcome execute(SourceEvent event, ResultMemory.Share share)
                            throws ResponseStream.SubscriptionEnded {
                        return next(later, served, asked, event, share);
                    }
                });
                started = true;
                return open;
            } finally {
                if (!started) {
                    opening.opened().ifPresent(Subscription::end);
                }
            }
        }

        /// With the account as it is at the event, of which both access rules and mappings take values.
        private QueryOutcome next(
                Request request,
                AppCatalog.Served served,
                QueryRequest asked,
                SourceEvent event,
                ResultMemory.Share share)
                throws ResponseStream.SubscriptionEnded {
            if (!isServed(served)) {
                throw new ResponseStream.SubscriptionEnded(Ending.REDEFINED);
            }
            var current = authorizations
                    .current(request)
                    .orElseThrow(() -> new ResponseStream.SubscriptionEnded(Ending.PERMISSION_LOST));
            Map<String, ?> extensions =
                    asked.resumeAfter().isPresent() ? Map.of("resumeToken", JsonParser.parse(event.token())) : Map.of();
            return runner.run(current, served.app(), asked, event, extensions, share);
        }

        /// Whether the request that opened a WebSocket would be admitted now. May block.
        boolean isAdmitted(Request request) {
            return authorizations.admits(request);
        }

        /// Whether the definition is unchanged.
        boolean isServed(AppCatalog.Served served) {
            try {
                return catalog.find(served.location())
                        .filter(app -> app.stored().equals(served.app().stored()))
                        .isPresent();
            } catch (InvalidApp _) {
                return false;
            }
        }
    }
}
