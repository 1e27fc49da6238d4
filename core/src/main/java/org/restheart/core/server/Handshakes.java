package org.restheart.core.server;

import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.restheart.http.Fatal;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairThreads;
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

    private static final FairShares.Patience ENDLESS = new FairShares.Patience(Long.MAX_VALUE);

    private final FairShares places = FairShares.ofAddresses(WAITING);
    private final FairThreads threads = new FairThreads("tls-handshake-", THREADS);

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
            Thread.ofVirtual().name("tls-handshake").start(() -> compute(address, task, counted));
        }
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

    /// @param counted whether the task has a place, until it begins
    private void compute(String address, Runnable task, boolean counted) {
        try {
            var _ = threads.compute(address, ENDLESS, () -> {
                if (counted) {
                    places.release(address);
                }
                task.run();
                return task;
            });
        } catch (RejectedExecutionException | InterruptedException e) {
            LOG.debug("the server stops", e);
        } catch (ExecutionException e) {
            Fatal.exitOn(Objects.requireNonNull(e.getCause()));
            LOG.warn("a TLS handshake failed", e);
        }
    }

    void close() {
        threads.close();
    }
}
