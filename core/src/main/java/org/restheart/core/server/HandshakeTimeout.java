package org.restheart.core.server;

import io.undertow.connector.ByteBufferPool;
import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.ConnectorStatistics;
import io.undertow.server.DelegateOpenListener;
import io.undertow.server.HttpHandler;
import io.undertow.server.OpenListener;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.StreamConnection;
import org.xnio.XnioExecutor;

/// Closes TLS connections on which no protocol has begun in time: Undertow's timeouts apply only from then on.
/// Thread-safe.
final class HandshakeTimeout {
    private final Duration timeout;

    /// Weak, as the timers are: a client that closes its connection before is not reported, and may open and close
    /// very many in the time of one timer.
    private final Map<StreamConnection, XnioExecutor.Key> waiting = Collections.synchronizedMap(new WeakHashMap<>());

    HandshakeTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    /// For new connections.
    ///
    /// @param handshake detects which of the protocols of [#begun] it is
    ChannelListener<StreamConnection> within(OpenListener handshake) {
        return connection -> {
            var weak = new WeakReference<>(connection);
            try {
                waiting.put(
                        connection,
                        connection
                                .getIoThread()
                                .executeAfter(() -> close(weak.get()), timeout.toNanos(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException _) { // the server stops
                IoUtils.safeClose(connection);
                return;
            }
            handshake.handleEvent(connection);
        };
    }

    private void close(@Nullable StreamConnection connection) {
        if (connection != null && waiting.remove(connection) != null) {
            IoUtils.safeClose(connection);
        }
    }

    /// For connections whose first bytes have arrived.
    DelegateOpenListener begun(DelegateOpenListener protocol) {
        return new Begun(protocol);
    }

    private final class Begun implements DelegateOpenListener {
        private final DelegateOpenListener protocol;

        Begun(DelegateOpenListener protocol) {
            this.protocol = protocol;
        }

        private void stopWaiting(StreamConnection connection) {
            var key = waiting.remove(connection);
            if (key != null) {
                key.remove();
            }
        }

        @Override
        public void handleEvent(StreamConnection connection, PooledByteBuffer first) {
            stopWaiting(connection);
            protocol.handleEvent(connection, first);
        }

        @Override
        public void handleEvent(StreamConnection connection) {
            stopWaiting(connection);
            protocol.handleEvent(connection);
        }

        @Override
        public HttpHandler getRootHandler() {
            return protocol.getRootHandler();
        }

        @Override
        public void setRootHandler(HttpHandler handler) {
            protocol.setRootHandler(handler);
        }

        @Override
        public OptionMap getUndertowOptions() {
            return protocol.getUndertowOptions();
        }

        @Override
        public void setUndertowOptions(OptionMap options) {
            protocol.setUndertowOptions(options);
        }

        @Override
        public ByteBufferPool getBufferPool() {
            return protocol.getBufferPool();
        }

        @Override
        public ConnectorStatistics getConnectorStatistics() {
            return protocol.getConnectorStatistics();
        }
    }
}
