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
    private static final AttachmentKey<RequestHead> KEY = AttachmentKey.create(RequestHead.class);

    /// As received. They do not change.
    private final HeaderMap received;

    /// What Undertow's map contains, apart from trailers. Confined to the thread that reads the content.
    private HeaderMap current;

    private RequestHead(HeaderMap received) {
        this.received = received;
        this.current = received;
    }

    /// Has the trailers of a request of HTTP/2 removed as soon as they are added, so that they are neither
    /// forwarded nor kept. To be called before the fields are read.
    static void ignoreTrailers(HttpServerExchange exchange, Http2StreamSourceChannel channel) {
        var head = keep(exchange);
        channel.setTrailersHandler(_ -> assign(exchange.getRequestHeaders(), head.current));
    }

    /// Has `Host` name the authority of an absolute target (RFC 9112, 3.2.2). To be called before the fields are read.
    static void setHost(HttpServerExchange exchange, String authority) {
        exchange.getRequestHeaders().put(Headers.HOST, authority);
    }

    /// Keeps the fields as received, for as long as the exchange lasts. To be called before they are read, for a
    /// request that is forwarded with others.
    static RequestHead keep(HttpServerExchange exchange) {
        var kept = exchange.getAttachment(KEY);
        if (kept != null) {
            return kept;
        }
        var head = new RequestHead(new HeaderMap().putAll(exchange.getRequestHeaders()));
        exchange.putAttachment(KEY, head);
        return head;
    }

    /// The fields as received. Any thread.
    static HeaderMap of(HttpServerExchange exchange) {
        var head = exchange.getAttachment(KEY);
        return head == null ? exchange.getRequestHeaders() : head.received;
    }

    /// The length of the content in bytes; -1 if the fields do not contain it. Any thread.
    static long contentLength(HttpServerExchange exchange) {
        var length = of(exchange).getFirst(Headers.CONTENT_LENGTH);
        return length == null ? -1 : Long.parseLong(length.strip());
    }

    /// Changes the fields that Undertow forwards to the target of a proxy. On the I/O thread, which reads the content.
    static void replace(HttpServerExchange exchange, HeaderMap fields) {
        keep(exchange).current = fields;
        assign(exchange.getRequestHeaders(), fields);
    }

    private static void assign(HeaderMap fields, HeaderMap values) {
        fields.clear();
        fields.putAll(values);
    }
}
