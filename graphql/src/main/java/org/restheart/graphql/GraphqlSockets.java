package org.restheart.graphql;

import graphql.ErrorType;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.restheart.graphql.GraphqlService.PushBounds;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.http.Content;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

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
                Optional.of(socket));
    }
}
