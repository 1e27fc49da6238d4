package org.restheart.core.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Fatal;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.StreamConnection;

/// Computes the handshakes of TLS on threads of their own. A signature takes a millisecond or more, and a client needs
/// no computation to ask for one. Addresses take turns. One whose share of the queue is full begins no other handshake:
/// its connections are closed. Thread-safe.
final class Handshakes implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
    static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /// Handshakes that wait: about as many as are computed within a second.
    private static final int WAITING = 1_000;

    private static final String UNKNOWN = CallerScope.address("");

    /// Of the client whose task this thread has taken last. Undertow hands a task over without saying whose it is, but
    /// on the thread that has taken it from the client's engine.
    private static final ThreadLocal<Client> TAKEN = ThreadLocal.withInitial(() -> new Client(null));

    private final FairShares places = FairShares.ofAddresses(WAITING);

    /// By address, in the order of their turns.
    @GuardedBy("this")
    private final Map<String, Queue<Task>> waiting = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /// @param counted whether it has a place
    private record Task(Runnable run, boolean counted) {}

    /// The client of one connection. Confined to its I/O thread.
    static final class Client {
        private final String address;

        /// Whether one of its tasks was accepted. Its next ones, of which there is one at a time, are accepted too:
        /// otherwise what has been computed would be of no use.
        private boolean accepted;

        private Runnable refusal = () -> {
            throw new RejectedExecutionException("too many handshakes"); // Undertow closes the connection
        };

        /// @param host its address as text
        Client(@Nullable String host) {
            this.address = of(host);
        }

        /// @param close closes the connection, not on its I/O thread: that would select over all its connections for
        ///     each of many that are refused at once
        void closeIfRefused(Runnable close) {
            refusal = close;
        }
    }

    private Handshakes() {}

    static Handshakes start() {
        var handshakes = new Handshakes();
        for (int i = 1; i <= THREADS; i++) {
            Thread.ofPlatform().name("tls-handshake-" + i).daemon().start(handshakes::compute);
        }
        return handshakes;
    }

    /// Whether a handshake of this connection may wait. Otherwise it should be closed before its bytes are read.
    boolean mayBegin(StreamConnection connection) {
        var address = CallerScope.address(ConnectionLimit.address(connection));
        if (!places.tryTake(address)) {
            return false;
        }
        places.release(address);
        return true;
    }

    /// To be called when a task is taken, before [#execute].
    static void taken(Client client) {
        TAKEN.set(client);
    }

    private static String of(@Nullable String host) {
        try {
            return host == null ? UNKNOWN : CallerScope.address(ClientAddress.of(InetAddress.ofLiteral(host)));
        } catch (IllegalArgumentException _) { // a name, which the system has found
            return CallerScope.address(host);
        }
    }

    /// Computes the task, or closes the connection if too many of its address wait. The task is not run then, so that
    /// Undertow reads nothing more of the connection.
    @Override
    public void execute(Runnable task) {
        var client = TAKEN.get();
        boolean counted = places.tryTake(client.address);
        if (!counted && !client.accepted) {
            client.refusal.run();
            return;
        }
        client.accepted = true;
        synchronized (this) {
            waiting.computeIfAbsent(client.address, _ -> new ArrayDeque<>()).add(new Task(task, counted));
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
                } catch (RejectedExecutionException e) {
                    LOG.debug("the server stops: its I/O threads have ended", e);
                } catch (Throwable e) { // the handshakes of others go on
                    Fatal.exitOn(e);
                    LOG.warn("a TLS handshake failed", e);
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
        if (task.counted()) {
            places.release(address);
        }
        return task.run();
    }

    /// Ends the threads after what waits.
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
