package org.restheart.core.server;

import io.undertow.server.ExchangeCompletionListener;
import io.undertow.server.HttpServerExchange;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;

/// Ends a response of which the client takes nothing for a time, since it stays in memory meanwhile: closes the
/// connection of HTTP/1.1, resets the stream of HTTP/2. Thread-safe.
final class StalledResponse implements ExchangeCompletionListener {
    private static final Logger LOG = LoggerFactory.getLogger(StalledResponse.class);

    private final HttpServerExchange exchange;
    private final Duration timeout;

    /// Guarded by this, like all below. Removed at the end: a finished response is not kept by its timer.
    private XnioExecutor.@Nullable Key timer;

    private boolean ended;
    private long sent;

    private StalledResponse(HttpServerExchange exchange, Duration timeout) {
        this.exchange = exchange;
        this.timeout = timeout;
    }

    /// Watches a response until its exchange ends. To be called before it is sent.
    ///
    /// @param timeout the longest time without progress; a client may have up to twice as long
    static void watch(HttpServerExchange exchange, Duration timeout) {
        var watch = new StalledResponse(exchange, timeout);
        exchange.addExchangeCompleteListener(watch);
        watch.await();
    }

    private synchronized void await() {
        if (!ended) {
            sent = exchange.getResponseBytesSent();
            timer = exchange.getIoThread().executeAfter(this::check, timeout.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        synchronized (this) {
            if (ended) {
                return;
            }
            if (exchange.getResponseBytesSent() > sent) {
                await();
                return;
            }
        }
        LOG.debug("a client took nothing of a response for {}", timeout);
        Http2Connections.abort(exchange);
    }

    @Override
    public void exchangeEvent(HttpServerExchange exchange, NextListener next) {
        synchronized (this) {
            ended = true;
            if (timer != null) {
                timer.remove();
            }
        }
        next.proceed();
    }
}
