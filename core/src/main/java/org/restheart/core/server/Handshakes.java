package org.restheart.core.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Fatal;
import org.restheart.http.access.FairShares;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Computes the handshakes of TLS on threads of their own. A signature takes a millisecond or more, and a client needs
/// no computation to ask for one. Addresses take turns. One whose share of the queue is full begins no other handshake:
/// its connections are closed. Thread-safe.
final class Handshakes {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
    static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /// Handshakes that wait: about as many as are computed within a second.
    private static final int WAITING = 1_000;

    private final FairShares places = FairShares.ofAddresses(WAITING);

    /// By address, in the order of their turns.
    @GuardedBy("this")
    private final Map<String, Queue<Task>> waiting = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /// @param counted whether it has a place
    private record Task(Runnable run, boolean counted) {}

    /// Takes the tasks of one connection. Confined to its I/O thread.
    private final class Client implements Executor {
        private final String address;
        private final Runnable close;

        /// Whether one of its tasks was accepted. Its next ones, of which there is one at a time, are accepted
        /// too: otherwise what has been computed would be of no use.
        private boolean accepted;

        Client(String address, Runnable close) {
            this.address = address;
            this.close = close;
        }

        /// Computes the task, or closes the connection if too many of its address wait. The task is not run
        /// then, so that Undertow reads nothing more of the connection.
        @Override
        public void execute(Runnable task) {
            boolean counted = places.tryTake(address);
            if (!counted && !accepted) {
                close.run();
                return;
            }
            accepted = true;
            add(address, new Task(task, counted));
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

    /// Whether a handshake of this address may wait. Otherwise its connection should be closed before its bytes are
    /// read.
    boolean mayBegin(String address) {
        if (!places.tryTake(address)) {
            return false;
        }
        places.release(address);
        return true;
    }

    /// For the tasks of one connection.
    ///
    /// @param address of its client, as [org.restheart.http.access.CallerScope] names it
    /// @param close closes the connection, not on its I/O thread: that would select over all its connections
    ///     for each of many that are refused at once
    Executor client(String address, Runnable close) {
        return new Client(address, close);
    }

    private synchronized void add(String address, Task task) {
        waiting.computeIfAbsent(address, _ -> new ArrayDeque<>()).add(task);
        notify();
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
