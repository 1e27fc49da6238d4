package org.restheart.core.server;

import io.undertow.client.ClientExchange;
import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.ProxyConnection;
import io.undertow.server.handlers.proxy.ProxyHandler;
import io.undertow.util.AttachmentKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.FairShares;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;

/// What ends a request that is handed on to a target before the target does: its client has gone, also while the
/// request waits for a connection, or takes nothing of the response; or its credentials have ended. Undertow looks for
/// none of it.
final class Forwarding {
    /// For a connection that others of the same caller hold.
    private static final long MAX_WAIT_SECONDS = 10;

    private static final long INTERVAL_SECONDS = 1;
    private static final AttachmentKey<Boolean> ABANDONED = AttachmentKey.create(Boolean.class);
    private static final Problem REVOKED =
            Problem.of(ProblemCode.AUTHENTICATION_REQUIRED, "the credentials have ended");

    /// The connections to targets of proxies, which Undertow does not expose.
    private static final AttachmentKey<ProxyConnection> OF_EXCHANGE = ofExchange();
    private static final Class<?> HTTP = http("HttpClientConnection");
    private static final VarHandle BELOW = Http2Stream.field(HTTP, "connection", StreamConnection.class);
    private static final VarHandle CURRENT = Http2Stream.field(HTTP, "currentRequest", http("HttpClientExchange"));

    private final HttpServerExchange exchange;
    private final CountDownLatch ended = new CountDownLatch(1);

    /// For a connection. Guarded by this, as is the next field.
    private @Nullable Thread waiting = Thread.currentThread();

    private boolean gone;

    /// For the thread that calls [#awaitConnection] next.
    Forwarding(HttpServerExchange exchange) {
        this.exchange = exchange;
        Exchanges.onComplete(exchange, ended::countDown);
        onIoThread(() -> Exchanges.whenClientGone(exchange, this::clientGone));
    }

    /// The only thread that uses the fields of the exchange from now on.
    void onIoThread(Runnable task) {
        try {
            exchange.getIoThread().execute(task);
        } catch (RejectedExecutionException _) { // the server has stopped
            exchange.endExchange();
        }
    }

    /// Blocks until the caller may have another connection, which it has to give back, or its client has gone.
    ///
    /// @return whether it may
    boolean awaitConnection(FairShares shares, String caller) {
        boolean interrupted = false;
        boolean taken = false;
        try {
            taken = shares.take(caller, TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS));
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (endWait()) {
            Thread.interrupted(); // meant this wait
        } else if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return taken;
    }

    private synchronized boolean endWait() {
        waiting = null;
        return gone;
    }

    private void clientGone() {
        synchronized (this) {
            if (waiting != null) {
                gone = true;
                waiting.interrupt();
                return;
            }
        }
        abandon();
    }

    synchronized boolean isGone() {
        return gone;
    }

    /// On the I/O thread, before the request is sent to the target.
    ///
    /// @param timeout how long the client may take nothing of the response
    void begin(Duration timeout) {
        Http2Connections.atClose(exchange, this::abandon);
        ForwardedResponse.watch(exchange, timeout, this::abandon);
    }

    /// Blocks until the exchange ends.
    ///
    /// @param standing whether the caller's credentials are still good; may block
    void endWith(BooleanSupplier standing) {
        boolean stands = true;
        try {
            while (!ended.await(INTERVAL_SECONDS, TimeUnit.SECONDS)) {
                stands = stands && standing.getAsBoolean();
                if (!stands) { // again, until there is a connection to close
                    onIoThread(this::revoke);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void revoke() {
        if (exchange.isComplete()) {
            return;
        }
        if (!exchange.isResponseStarted()) {
            exchange.putAttachment(ForwardedContent.FAILURE, REVOKED);
            if (!exchange.isRequestComplete()) {
                exchange.setPersistent(false);
                Connectors.terminateRequest(exchange);
            }
        }
        abandon();
    }

    /// Whether another connection must not be used if the present one breaks. It is closed for a client that has gone,
    /// which may have sent something else since.
    static boolean isAbandoned(HttpServerExchange exchange) {
        return exchange.getAttachment(ABANDONED) != null;
    }

    private void abandon() {
        exchange.putAttachment(ABANDONED, true);
        boolean isStarted = exchange.isResponseStarted();
        boolean isUnnoticed = closeTargetUnnoticed(exchange); // Undertow would log an error
        if (isStarted) {
            Exchanges.abort(exchange);
        } else if (isUnnoticed) {
            exchange.endExchange();
        }
    }

    @SuppressWarnings("unchecked")
    private static AttachmentKey<ProxyConnection> ofExchange() {
        try {
            return (AttachmentKey<ProxyConnection>)
                    MethodHandles.privateLookupIn(ProxyHandler.class, MethodHandles.lookup())
                            .findStaticVarHandle(ProxyHandler.class, "CONNECTION", AttachmentKey.class)
                            .get();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// A class of Undertow's client.
    static Class<?> http(String name) {
        try {
            return Class.forName("io.undertow.client.http." + name);
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// Closes the connection to which an exchange is forwarded, if it has one yet, which ends the exchange.
    /// Undertow would end the request first, in chunked content by the last chunk.
    static void closeTarget(HttpServerExchange exchange) {
        var connection = exchange.getAttachment(OF_EXCHANGE);
        if (connection != null) {
            var client = connection.getConnection();
            IoUtils.safeClose(HTTP.isInstance(client) ? (StreamConnection) BELOW.get(client) : client);
        }
    }

    /// Closes the connection to which an exchange is forwarded, if it has one yet.
    ///
    /// @return whether that has no consequence for the exchange; if not, it ends it as [#closeTarget] does
    private static boolean closeTargetUnnoticed(HttpServerExchange exchange) {
        var connection = exchange.getAttachment(OF_EXCHANGE);
        var current = connection != null && HTTP.isInstance(connection.getConnection())
                ? (ClientExchange) CURRENT.get(connection.getConnection())
                : null;
        if (current != null) {
            current.setResponseListener(null);
        }
        closeTarget(exchange);
        return current != null;
    }
}
