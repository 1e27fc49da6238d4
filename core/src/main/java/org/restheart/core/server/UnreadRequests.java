package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.Fields;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// Reports requests that Undertow refuses by itself, because it cannot parse them or their head is too large, to
/// the observer. Such a refusal is recognized by the bytes that Undertow writes, which no response of this server
/// has. Confined to one connection.
final class UnreadRequests extends AbstractStreamSinkConduit<StreamSinkConduit> {
    private static final ByteBuffer REFUSAL =
            ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
    private static final int BAD_REQUEST = 400;

    private final StreamConnection connection;
    private final RequestReader reader;
    private final Observer observer;

    private UnreadRequests(StreamConnection connection, RequestReader reader, Observer observer) {
        super(connection.getSinkChannel().getConduit());
        this.connection = connection;
        this.reader = reader;
        this.observer = observer;
    }

    /// To be called before other code uses the connection.
    static void watch(StreamConnection connection, RequestReader reader, Observer observer) {
        connection.getSinkChannel().setConduit(new UnreadRequests(connection, reader, observer));
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        boolean refusal = bytes.remaining() == REFUSAL.capacity() && bytes.equals(REFUSAL);
        int written = super.write(bytes);
        if (refusal && written > 0) {
            observer.completed(new Observation(
                    reader.unread(connection), "", BAD_REQUEST, Fields.NONE, 0, 0, Optional.empty(), Optional.empty()));
        }
        return written;
    }
}
