package org.restheart.core.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.StreamConnection;
import org.xnio.conduits.StreamSourceConduit;

/// Computes the handshakes of TLS on threads of their own. A signature takes a millisecond or more, and a client needs
/// no computation to ask for one. Addresses take turns, and one whose share of the queue is full is refused: its
/// connection is closed. Thread-safe.
final class Handshakes implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
    private static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /// Handshakes that wait: about as many as are computed within a second.
    private static final int WAITING = 1_000;

    /// Of the connection that this thread reads from. Undertow hands over a task without saying whose it is, but does
    /// so
    /// while bytes are read.
    private static final ThreadLocal<String> READING = ThreadLocal.withInitial(() -> "");

    private final FairShares places = new FairShares(WAITING, 0);

    /// By address, in the order of their turns.
    @GuardedBy("this")
    private final Map<String, Queue<Runnable>> waiting = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    private Handshakes() {}

    static Handshakes start() {
        var handshakes = new Handshakes();
        for (int i = 1; i <= THREADS; i++) {
            Thread.ofPlatform().name("tls-handshake-" + i).daemon().start(handshakes::compute);
        }
        return handshakes;
    }

    /// To be called before other code uses a connection of TLS.
    ///
    /// @return false if too many of its address wait: it should be closed before its bytes are read
    boolean watch(StreamConnection connection) {
        var address = CallerScope.address(
                connection.getPeerAddress() instanceof InetSocketAddress peer
                        ? ClientAddress.of(peer.getAddress())
                        : "");
        if (!places.tryTake(address)) {
            return false;
        }
        places.release(address);
        var source = connection.getSourceChannel();
        source.setConduit(new Tagged(address, source.getConduit()));
        return true;
    }

    /// @throws RejectedExecutionException if too many of the address wait; Undertow closes the connection then
    @Override
    public void execute(Runnable task) {
        var address = READING.get();
        if (!places.tryTake(address)) {
            throw new RejectedExecutionException("too many handshakes");
        }
        synchronized (this) {
            waiting.computeIfAbsent(address, _ -> new ArrayDeque<>()).add(task);
            notify();
        }
    }

    private void compute() {
        try {
            while (true) {
                var task = next();
                if (task == null) {
                    return;
                }
                try {
                    task.run();
                } catch (RuntimeException e) {
                    LOG.debug("a TLS handshake failed", e);
                }
            }
        } catch (InterruptedException _) {
            LOG.debug("TLS handshakes end");
        }
    }

    /// @return null at the end
    private synchronized @Nullable Runnable next() throws InterruptedException {
        while (waiting.isEmpty()) {
            if (closed) {
                return null;
            }
            wait();
        }
        var turn = waiting.entrySet().iterator().next();
        var address = turn.getKey();
        var tasks = turn.getValue();
        waiting.remove(address);
        var task = tasks.remove();
        if (!tasks.isEmpty()) {
            waiting.put(address, tasks);
        }
        places.release(address);
        return task;
    }

    /// Ends the threads after what waits.
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /// Says whose bytes are read. Used by one thread at a time.
    private static final class Tagged extends BufferedSourceConduit {
        private final String address;

        Tagged(String address, StreamSourceConduit next) {
            super(next);
            this.address = address;
        }

        @Override
        public int read(ByteBuffer bytes) throws IOException {
            READING.set(address);
            try {
                return next.read(bytes);
            } finally {
                READING.remove();
            }
        }
    }
}
