package org.restheart.core.server;

import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.restheart.http.Content;
import org.restheart.http.Response.Ready;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends responses without blocking: writing continues on the I/O thread when the socket is writable.
/// Thread-safe.
final class ResponseWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseWriter.class);
    private static final IoCallback END = new End();

    private final Executor threads;
    private final PushConnections pushes;
    private final BodyLimits bodies;
    private final Admission admission;
    private final Map<String, ReverseProxy> proxies;
    private final Duration timeout;

    /// @param threads run the pumps of streamed content
    /// @param pushes manages connections that stay open for messages
    /// @param bodies bounds the messages that clients send on them
    /// @param proxies by their paths in the configuration
    /// @param timeout after which the connection of a client that takes nothing of a stream is closed
    ResponseWriter(
            Executor threads,
            PushConnections pushes,
            BodyLimits bodies,
            Admission admission,
            Map<String, ReverseProxy> proxies,
            Duration timeout) {
        this.timeout = timeout;
        this.threads = threads;
        this.pushes = pushes;
        this.bodies = bodies;
        this.admission = admission;
        this.proxies = Map.copyOf(proxies);
    }

    /// Sends the response and ends the exchange. To be called once per exchange.
    void send(HttpServerExchange exchange, Ready response) {
        // the client has disconnected in the meantime
        if (exchange.isResponseStarted() || exchange.isResponseComplete()) {
            LOG.debug("a response had nobody to go to");
            response.content().abandon();
            exchange.endExchange();
            return;
        }
        if (admission.isStopAnnounced() && exchange.isHttp11() && response.status() != 101) {
            exchange.setPersistent(false); // the client should use another connection for its next request
        }
        if (response.content() instanceof Content.Forwarded forwarded) {
            addHeaders(exchange, response);
            Objects.requireNonNull(proxies.get(forwarded.proxy())).forward(exchange, forwarded);
            return;
        }
        head(exchange, response);
        boolean contentAllowed = Connectors.isEntityBodyAllowed(response.status());
        switch (response.content()) {
            case Content.None _ -> empty(exchange);
            case Content.Bytes bytes when contentAllowed -> bytes(exchange, bytes);
            case Content.Bytes _ -> empty(exchange);
            case Content.Streamed streamed
            when contentAllowed && !isHead(exchange) ->
                exchange.dispatch(threads, new StreamPump(exchange, streamed.source(), timeout));
            case Content.Streamed streamed -> {
                streamed.source().close();
                exchange.endExchange();
            }
            case Content.Forwarded _ -> throw new IllegalStateException("handed on above");
            case Content.Push(var subscription) -> {
                switch (subscription.transport()) {
                    case WEB_SOCKET -> WebSocketConnection.upgrade(exchange, subscription, bodies, pushes);
                    case SSE -> SseConnection.begin(exchange, subscription, pushes);
                }
            }
        }
    }

    private static void head(HttpServerExchange exchange, Ready response) {
        exchange.setStatusCode(response.status());
        addHeaders(exchange, response);
        boolean isHttp1 = exchange.getConnection() instanceof HttpServerConnection;
        if (isHttp1 && !exchange.isRequestComplete() && HttpContinue.requiresContinueResponse(exchange)) {
            // The client may or may not send its content after this response: the next bytes would be ambiguous.
            exchange.setPersistent(false);
        }
        if (isHttp1 && !exchange.isPersistent() && response.status() != 101) { // Undertow omits it with 204 and 304
            exchange.getResponseHeaders().put(Headers.CONNECTION, "close");
        }
    }

    private static void addHeaders(HttpServerExchange exchange, Ready response) {
        var fields = exchange.getResponseHeaders();
        response.headers()
                .forEach((name, value) -> fields.add(UndertowHeaders.name(name), UndertowHeaders.value(value)));
    }

    private static boolean isHead(HttpServerExchange exchange) {
        return exchange.getRequestMethod().equals(Methods.HEAD);
    }

    private static void bytes(HttpServerExchange exchange, Content.Bytes bytes) {
        exchange.setResponseContentLength(bytes.length());
        if (isHead(exchange) || bytes.length() == 0) {
            exchange.endExchange();
        } else {
            exchange.getResponseSender().send(bytes.buffer().duplicate(), END);
        }
    }

    private static void empty(HttpServerExchange exchange) {
        if (!UnreadContent.isAwaited(exchange)) {
            UnreadContent.endWithout(exchange);
            return;
        }
        exchange.setResponseContentLength(0);
        var channel = exchange.getResponseChannel();
        try {
            channel.shutdownWrites();
            if (!channel.flush()) {
                LOG.debug("the head of a response did not fit into the socket");
            }
            UnreadContent.endAfter(exchange);
        } catch (IOException e) {
            LOG.debug("a response was not taken", e);
            Http2Connections.abort(exchange);
        }
    }

    private static final class End implements IoCallback {
        @Override
        public void onComplete(HttpServerExchange exchange, Sender sender) {
            UnreadContent.endAfter(exchange);
        }

        @Override
        public void onException(HttpServerExchange exchange, Sender sender, IOException e) {
            LOG.debug("a response was not taken", e);
            Http2Connections.abort(exchange);
        }
    }
}
