package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Counts the requests in flight and bounds them. Thread-safe.
///
/// Each request in flight may occupy a body, a thread and a response: without a bound a flood is limited by the
/// heap only.
final class Admission {
    enum Verdict {
        ADMITTED,
        FULL,
        DRAINING
    }

    private final int limit;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder rejected = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();
    private volatile boolean leaving;
    private volatile long lastWhileLeaving;
    private volatile boolean draining;

    /// @param limit most requests at once
    Admission(int limit) {
        this.limit = limit;
    }

    /// After admission [#leave()] is called once.
    Verdict enter() {
        int now = inFlight.incrementAndGet();
        if (now <= limit && !draining) {
            if (leaving) {
                lastWhileLeaving = System.nanoTime();
            }
            return Verdict.ADMITTED;
        }
        rejected.increment();
        leave();
        return draining ? Verdict.DRAINING : Verdict.FULL;
    }

    void leave() {
        if (inFlight.decrementAndGet() == 0 && draining) {
            lock.lock();
            try {
                empty.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /// The server stops soon: requests are still admitted, and each HTTP/1.1 connection ends with its next
    /// response.
    void announceStop() {
        lastWhileLeaving = System.nanoTime();
        leaving = true;
    }

    boolean isStopAnnounced() {
        return leaving;
    }

    /// Since [#announceStop()].
    Duration sinceLastRequest() {
        return Duration.ofNanos(System.nanoTime() - lastWhileLeaving);
    }

    /// Refuses all further requests.
    void close() {
        draining = true;
    }

    /// After [#close()]: waits until the last request has left.
    ///
    /// @return whether it has
    boolean awaitEmpty(Duration atMost) throws InterruptedException {
        long nanos = atMost.toNanos();
        lock.lock();
        try {
            while (inFlight.get() > 0) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = empty.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Requests whose responses have not been sent yet.
    int inFlight() {
        return inFlight.get();
    }

    /// Most requests at once.
    int limit() {
        return limit;
    }

    /// The number of requests that were not admitted.
    long rejected() {
        return rejected.sum();
    }
}
