package org.restheart.core.server;

import io.undertow.protocols.http2.Http2Channel;
import io.undertow.protocols.http2.Http2DataStreamSinkChannel;
import io.undertow.protocols.http2.Http2StreamSinkChannel;
import io.undertow.protocols.http2.Http2StreamSourceChannel;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http2.Http2ServerConnection;
import io.undertow.util.AttachmentKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.xnio.IoUtils;

/// The stream of one request of HTTP/2. Confined to the I/O thread of its connection.
///
/// @param channel of the connection
/// @param response where the stream's response is written
/// @param request where the stream's request is read
record Http2Stream(Http2Channel channel, Http2StreamSourceChannel request, Http2DataStreamSinkChannel response) {
    /// Undertow announces a limit for the streams of a connection, but does not enforce it.
    private static final AttachmentKey<AtomicInteger> STREAMS = AttachmentKey.create(AtomicInteger.class);

    /// Undertow resets streams with the code that it chooses, and leaves one alone that waits for its client's window.
    private static final VarHandle CHANNEL = field(Http2ServerConnection.class, "channel", Http2Channel.class);

    private static final VarHandle REQUEST =
            field(Http2ServerConnection.class, "requestChannel", Http2StreamSourceChannel.class);
    private static final VarHandle RESPONSE =
            field(Http2ServerConnection.class, "responseChannel", Http2DataStreamSinkChannel.class);

    /// Bytes of content that Undertow still expects; -1 if it does not check that.
    private static final VarHandle EXPECTED =
            field(Http2StreamSourceChannel.class, "contentLengthRemaining", long.class);

    private static final VarHandle RESET = field(Http2StreamSinkChannel.class, "reset", boolean.class);

    /// A private field of Undertow's.
    static VarHandle field(Class<?> owner, String name, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Http2Stream of(Http2ServerConnection connection) {
        return new Http2Stream(
                (Http2Channel) CHANNEL.get(connection),
                (Http2StreamSourceChannel) REQUEST.get(connection),
                (Http2DataStreamSinkChannel) RESPONSE.get(connection));
    }

    /// Counts the stream until its exchange ends, and has the trailers of its request ignored.
    ///
    /// @return false if it is one too many; it has been reset then
    boolean begins(HttpServerExchange exchange) {
        var streams = channel.getAttachment(STREAMS);
        if (streams == null) {
            streams = new AtomicInteger();
            channel.putAttachment(STREAMS, streams);
        }
        var counted = streams;
        int most = channel.getReceiveMaxConcurrentStreams();
        if (counted.incrementAndGet() > most && most > 0) {
            counted.decrementAndGet();
            reset(exchange, Http2Channel.ERROR_REFUSED_STREAM);
            return false;
        }
        Exchanges.onComplete(exchange, counted::decrementAndGet);
        if (!exchange.isRequestComplete()) {
            RequestHead.ignoreTrailers(exchange, request);
            // ContentFraming checks that. Undertow would reset the stream while the content is read, and use the buffer
            // of its frame for other data that would be read as content.
            EXPECTED.set(request, -1L);
        }
        return true;
    }

    /// Whether its client, or this server, has reset it.
    boolean isReset() {
        return (boolean) RESET.get(response);
    }

    /// Resets the stream and ends its exchange.
    ///
    /// @param code of the error (RFC 9113, 7)
    void reset(HttpServerExchange exchange, int code) {
        if (!isReset()) {
            channel.sendRstStream(response.getStreamId(), code);
        }
        IoUtils.safeClose(response); // a frame that waits for the window would wait on, and the exchange for it
        exchange.endExchange();
    }
}
