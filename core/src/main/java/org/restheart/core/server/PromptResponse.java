package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioIoThread;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// Sends what the target of a proxy has sent so far. Undertow keeps a response of HTTP/2, with its head, until a buffer
/// is full or the response ends, so events of a stream would not arrive. Confined to the exchange's I/O thread.
final class PromptResponse extends AbstractStreamSinkConduit<StreamSinkConduit> {
    private static final Logger LOG = LoggerFactory.getLogger(PromptResponse.class);

    private final XnioIoThread thread;
    private boolean scheduled;
    private boolean ended;

    private PromptResponse(StreamSinkConduit next, XnioIoThread thread) {
        super(next);
        this.thread = thread;
        flushSoon(); // the head, of a target that sends nothing else yet
    }

    /// Called before the response begins. In HTTP/1.1 nothing is kept.
    static void send(HttpServerExchange exchange) {
        if (!(exchange.getConnection() instanceof HttpServerConnection)) {
            exchange.addResponseWrapper((factory, _) -> new PromptResponse(factory.create(), exchange.getIoThread()));
        }
    }

    /// When all that has arrived was written.
    private void flushSoon() {
        if (scheduled || ended) {
            return;
        }
        scheduled = true;
        try {
            thread.execute(this::flushNow);
        } catch (RejectedExecutionException _) { // the server has stopped
            ended = true;
        }
    }

    private void flushNow() {
        scheduled = false;
        if (ended) {
            return;
        }
        try {
            next.flush();
        } catch (IOException e) { // the next write fails as well
            LOG.debug("the client of a proxied response has gone", e);
        }
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int n = super.write(bytes);
        flushSoon();
        return n;
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        long n = super.write(bytes, offset, length);
        flushSoon();
        return n;
    }

    @Override
    public void terminateWrites() throws IOException {
        ended = true;
        super.terminateWrites();
    }

    @Override
    public void truncateWrites() throws IOException {
        ended = true;
        super.truncateWrites();
    }
}
