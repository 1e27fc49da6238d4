package org.restheart.core.server;

import io.undertow.client.ClientExchange;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.ProxyConnection;
import io.undertow.server.handlers.proxy.ProxyHandler;
import io.undertow.util.AttachmentKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;

/// The connections to targets of proxies, which Undertow does not expose.
final class TargetConnections {
    private static final AttachmentKey<ProxyConnection> OF_EXCHANGE = ofExchange();
    private static final Class<?> HTTP = http("HttpClientConnection");
    private static final VarHandle BELOW = field("connection", StreamConnection.class);
    private static final VarHandle CURRENT = field("currentRequest", http("HttpClientExchange"));

    private TargetConnections() {}

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

    private static Class<?> http(String name) {
        try {
            return Class.forName("io.undertow.client.http." + name);
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(HTTP, MethodHandles.lookup()).findVarHandle(HTTP, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// Closes the connection to which an exchange is forwarded, if it has one yet, which ends the exchange. Undertow
    /// would end the request first, in chunked content by the last chunk.
    static void close(HttpServerExchange exchange) {
        var connection = exchange.getAttachment(OF_EXCHANGE);
        if (connection != null) {
            var client = connection.getConnection();
            IoUtils.safeClose(HTTP.isInstance(client) ? (StreamConnection) BELOW.get(client) : client);
        }
    }

    /// Closes the connection to which an exchange is forwarded, without any consequence for the exchange.
    static void closeUnnoticed(HttpServerExchange exchange) {
        var connection = exchange.getAttachment(OF_EXCHANGE);
        if (connection != null && HTTP.isInstance(connection.getConnection())) {
            var current = (ClientExchange) CURRENT.get(connection.getConnection());
            if (current != null) {
                current.setResponseListener(null);
            }
        }
        close(exchange);
    }
}
