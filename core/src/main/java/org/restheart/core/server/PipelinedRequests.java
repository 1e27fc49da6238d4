package org.restheart.core.server;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.util.AttachmentKey;
import io.undertow.util.SameThreadExecutor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Handles requests on their I/O thread, and lets a client that sends requests of HTTP/1.1 without awaiting responses
/// have its turn like others. Undertow handles each such request in a task of its own, and the thread runs all tasks
/// that are due before it looks which other connections are ready.
record PipelinedRequests(HttpHandler next) implements HttpHandler {
    /// Requests of a connection that are handled without a look at others.
    private static final int REQUESTS = 16;

    /// Without a trailer (RFC 9112, section 7.1).
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final AttachmentKey<Count> COUNT = AttachmentKey.create(Count.class);

    /// Confined to the I/O thread.
    private static final class Count {
        private int requests;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        if (!exchange.isInIoThread()) { // read where the one before it was answered
            exchange.dispatch(exchange.getIoThread(), this);
        } else if (isTurnOver(exchange)) {
            exchange.dispatch(
                    SameThreadExecutor.INSTANCE,
                    () -> ReadTurn.later(
                            exchange.getIoThread(), () -> exchange.dispatch(SameThreadExecutor.INSTANCE, next)));
        } else {
            next.handleRequest(exchange);
        }
    }

    /// Whether so many requests were in the bytes that were read before that others must have their turn.
    private static boolean isTurnOver(HttpServerExchange exchange) {
        if (!(exchange.getConnection() instanceof HttpServerConnection connection)) {
            return false;
        }
        var count = connection.getAttachment(COUNT);
        if (!isFollowed(exchange, connection)) { // the next request is read when the connection is ready
            if (count != null) {
                count.requests = 0;
            }
            return false;
        }
        if (count == null) {
            count = new Count();
            connection.putAttachment(COUNT, count);
        }
        count.requests = (count.requests + 1) % REQUESTS;
        return count.requests == 0;
    }

    /// Whether more was read than this request, whose content comes after its head.
    private static boolean isFollowed(HttpServerExchange exchange, HttpServerConnection connection) {
        var read = connection.getExtraBytes();
        if (read == null) {
            return false;
        }
        var bytes = read.getBuffer();
        if (exchange.isRequestComplete()) {
            return bytes.hasRemaining();
        }
        if (HeadChecks.fault(exchange).isPresent()) { // no further request is read
            return false;
        }
        long length = RequestHead.contentLength(exchange);
        return length >= 0 ? bytes.remaining() > length : chunksEnd(bytes) < bytes.limit();
    }

    /// @return the position after the last chunk; the limit if it is not there
    private static int chunksEnd(ByteBuffer bytes) {
        for (int i = bytes.position(); i + LAST_CHUNK.length <= bytes.limit(); i++) {
            int same = 0;
            while (same < LAST_CHUNK.length && bytes.get(i + same) == LAST_CHUNK[same]) {
                same++;
            }
            if (same == LAST_CHUNK.length) {
                return i + same;
            }
        }
        return bytes.limit();
    }
}
