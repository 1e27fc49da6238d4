package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpAttachments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioExecutor;
import org.xnio.conduits.StreamSourceConduit;

/// The content of a request that is forwarded to the target of a proxy. It must arrive as fast as other content,
/// since it occupies a connection to the target. Trailers are not forwarded: the target might take them for header
/// fields, which have to be checked. Confined to the exchange's I/O thread.
final class ForwardedContent extends BufferedSourceConduit {
    private static final int TOO_SLOW = 408;
    private static final int MALFORMED = 400;

    private final HttpServerExchange exchange;
    private final ArrivalRate rate;
    private long waitingSince;
    private XnioExecutor.@Nullable Key deadline;
    private boolean whole;

    /// The status of the response if the content failed; otherwise 0.
    private int failure;

    private ForwardedContent(StreamSourceConduit next, HttpServerExchange exchange, Duration timeout) {
        super(next);
        this.exchange = exchange;
        this.rate = new ArrivalRate(timeout);
    }

    /// Called before the content is read.
    ///
    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    static void watch(HttpServerExchange exchange, Duration timeout) {
        dropTrailers(exchange);
        if (exchange.isRequestComplete()) {
            return;
        }
        // not by the wrapper: when it is applied to discard content, the response may have begun
        var opened = new AtomicReference<@Nullable ForwardedContent>();
        exchange.addResponseCommitListener(answered -> {
            var content = opened.get();
            if (content != null && content.failure != 0) {
                answered.setStatusCode(content.failure);
            }
        });
        exchange.addRequestWrapper((factory, _) -> {
            var content = new ForwardedContent(factory.create(), exchange, timeout);
            opened.set(content);
            AtEnd.of(exchange, content::over);
            return content;
        });
    }

    private static void dropTrailers(HttpServerExchange exchange) {
        exchange.removeAttachment(HttpAttachments.REQUEST_TRAILERS);
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        if (failure == TOO_SLOW) {
            closeTarget();
            Connectors.terminateRequest(exchange);
            throw new IOException("the content of a request arrives too slowly");
        }
        int n = readNext(bytes);
        if (n > 0) {
            rate.arrived(n);
            if (deadline != null) {
                endWaiting();
                beginWaiting();
            }
        } else if (n < 0) {
            endWaiting();
            dropTrailers(exchange);
            whole = true;
        }
        return n;
    }

    private int readNext(ByteBuffer bytes) throws IOException {
        try {
            int n = next.read(bytes);
            if (n == 0) {
                ChunkFraming.requireSound(exchange);
            }
            return n;
        } catch (ChunkFraming.Malformed e) {
            endWaiting();
            failure = MALFORMED;
            closeTarget();
            throw e;
        } catch (IOException e) { // the client has gone
            closeTarget();
            throw e;
        }
    }

    /// Otherwise the target would take a part of the content for the whole, or wait for the rest.
    private void closeTarget() {
        TargetConnections.close(exchange);
    }

    /// The exchange has ended.
    private void over() {
        if (!whole) {
            endWaiting();
            closeTarget();
        }
    }

    /// The target has taken what there was.
    @Override
    public void resumeReads() {
        super.resumeReads();
        beginWaiting();
    }

    @Override
    public void wakeupReads() {
        super.wakeupReads();
        beginWaiting();
    }

    /// The target does not take more now, which is not the client's fault.
    @Override
    public void suspendReads() {
        endWaiting();
        super.suspendReads();
    }

    private void beginWaiting() {
        if (deadline == null && failure == 0) {
            waitingSince = System.nanoTime();
            deadline =
                    exchange.getIoThread().executeAfter(this::end, Math.max(0, rate.timeout()), TimeUnit.NANOSECONDS);
        }
    }

    private void endWaiting() {
        if (deadline != null) {
            deadline.remove();
            deadline = null;
            rate.waited(System.nanoTime() - waitingSince);
        }
    }

    private void end() {
        deadline = null;
        failure = TOO_SLOW;
        exchange.setPersistent(false);
        super.wakeupReads(); // the next read fails, which ends the exchange and the target's connection
    }
}
