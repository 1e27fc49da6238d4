package org.restheart.core.server;

import io.undertow.protocols.http2.Http2StreamSourceChannel;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;

/// The header fields of a request. No other class uses Undertow's map of them: Undertow adds the trailers of HTTP/2 to
/// it, on the thread that reads the content, although the fields have been checked by then, and other threads read
/// them.
final class RequestHead {
    private static final AttachmentKey<HeaderMap> RECEIVED = AttachmentKey.create(HeaderMap.class);

    private RequestHead() {}

    /// Has the trailers of a request of HTTP/2 removed as soon as they are added. To be called before the fields are
    /// read.
    static void ignoreTrailers(HttpServerExchange exchange, Http2StreamSourceChannel channel) {
        exchange.putAttachment(RECEIVED, new HeaderMap().putAll(exchange.getRequestHeaders()));
        channel.setTrailersHandler(_ -> exchange.getRequestHeaders().clear());
    }

    /// Has `Host` name the authority of an absolute target (RFC 9112, 3.2.2). To be called before the fields are read.
    static void setHost(HttpServerExchange exchange, String authority) {
        exchange.getRequestHeaders().put(Headers.HOST, authority);
    }

    static HeaderMap of(HttpServerExchange exchange) {
        var received = exchange.getAttachment(RECEIVED);
        return received == null ? exchange.getRequestHeaders() : received;
    }

    /// The length of the content in bytes; -1 if the fields do not contain it. Any thread.
    static long contentLength(HttpServerExchange exchange) {
        var length = of(exchange).getFirst(Headers.CONTENT_LENGTH);
        return length == null ? -1 : Long.parseLong(length.strip());
    }
}
