package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xnio.conduits.StreamSourceConduit;

/// The content of a request of HTTP/2 that has to be as long as its head says (RFC 9113, 8.1.1): targets of proxies are
/// told that length. Confined to one request.
final class Http2Content extends BufferedSourceConduit {
    private final HttpServerExchange exchange;
    private final long length;
    private long received;

    private Http2Content(StreamSourceConduit next, HttpServerExchange exchange, long length) {
        super(next);
        this.exchange = exchange;
        this.length = length;
    }

    /// Called before the content is read, when the fields have been checked.
    static void check(HttpServerExchange exchange) {
        if (exchange.isRequestComplete() || exchange.getConnection() instanceof HttpServerConnection) {
            return;
        }
        long length = RequestHead.contentLength(exchange);
        if (length >= 0) {
            exchange.addRequestWrapper((factory, _) -> new Http2Content(factory.create(), exchange, length));
        }
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        int n = next.read(bytes);
        if (n > 0) {
            received += n;
        }
        if (received > length || (n < 0 && received < length)) {
            Connectors.terminateRequest(exchange); // no more is read before it is answered
            throw new ChunkFraming.Malformed(
                    "the content is " + (n < 0 ? "shorter" : "longer") + " than Content-Length says");
        }
        return n;
    }
}
