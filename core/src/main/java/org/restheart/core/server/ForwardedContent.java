package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpAttachments;
import io.undertow.util.AttachmentKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.xnio.XnioExecutor;
import org.xnio.conduits.StreamSourceConduit;

/// The content of a request that is forwarded to the target of a proxy. It must arrive as fast as other content,
/// since it occupies a connection to the target. Trailers are not forwarded: the target might take them for header
/// fields, which have to be checked. Confined to the exchange's I/O thread.
final class ForwardedContent extends BufferedSourceConduit {
    private static final Problem TOO_SLOW = Problem.of(ProblemCode.CONTENT_TIMED_OUT, "the content arrives too slowly");

    /// Why the content failed, which is the response to the request.
    static final AttachmentKey<Problem> FAILURE = AttachmentKey.create(Problem.class);

    private final HttpServerExchange exchange;
    private final ArrivingContent.ArrivalRate rate;
    private final long most;
    private long waitingSince;
    private XnioExecutor.@Nullable Key deadline;
    private boolean whole;

    private ForwardedContent(StreamSourceConduit next, HttpServerExchange exchange, Duration timeout, long most) {
        super(next);
        this.most = most;
        this.exchange = exchange;
        this.rate = new ArrivingContent.ArrivalRate(timeout);
    }

    /// Called before the content is read.
    ///
    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    /// @param most bytes
    static void watch(HttpServerExchange exchange, Duration timeout, long most) {
        dropTrailers(exchange);
        if (exchange.isRequestComplete()) {
            return;
        }
        // not by the wrapper: when it is applied to discard content, the response may have begun
        exchange.addResponseCommitListener(answered -> {
            var failure = answered.getAttachment(FAILURE);
            if (failure != null) {
                answered.setStatusCode(failure.status());
            }
        });
        exchange.addRequestWrapper((factory, _) -> {
            var content = new ForwardedContent(factory.create(), exchange, timeout, most);
            Exchanges.onComplete(exchange, content::over);
            return content;
        });
    }

    private static void dropTrailers(HttpServerExchange exchange) {
        exchange.removeAttachment(HttpAttachments.REQUEST_TRAILERS);
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        if (isTooSlow()) {
            closeTarget();
            Connectors.terminateRequest(exchange);
            throw new IOException("the content of a request arrives too slowly");
        }
        int n = readNext(bytes);
        if (n > 0) {
            boolean isAwaited = deadline != null;
            endWaiting();
            rate.arrived(n);
            requireFew();
            if (isAwaited) {
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
                ContentFraming.requireSound(exchange);
            }
            return n;
        } catch (ContentFraming.Malformed e) {
            endWaiting();
            fail(Problem.of(ProblemCode.BAD_REQUEST, String.valueOf(e.getMessage())));
            closeTarget();
            throw e;
        } catch (IOException e) { // the client has gone
            closeTarget();
            throw e;
        }
    }

    /// The length of chunked content, and in HTTP/2 of any, is not known before.
    private void requireFew() throws IOException {
        if (rate.length() > most) {
            fail(TargetFailures.tooMuch(most));
            closeTarget();
            Connectors.terminateRequest(exchange);
            throw new IOException("the content of a request is too large");
        }
    }

    private boolean isTooSlow() {
        var failure = exchange.getAttachment(FAILURE);
        return failure != null && failure.code() == ProblemCode.CONTENT_TIMED_OUT;
    }

    private void fail(Problem failure) {
        exchange.putAttachment(FAILURE, failure);
    }

    /// Otherwise the target would take a part of the content for the whole, or wait for the rest.
    private void closeTarget() {
        Forwarding.closeTarget(exchange);
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
        if (deadline == null && exchange.getAttachment(FAILURE) == null) {
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
        fail(TOO_SLOW);
        exchange.setPersistent(false);
        super.wakeupReads(); // the next read fails, which ends the exchange and the target's connection
    }
}
