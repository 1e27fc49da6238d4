package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// Counts the requests in flight and bounds them. Thread-safe.
///
/// Each request in flight may occupy a body, a thread and a response: without a bound a flood is limited by the
/// heap only. Half of them are admitted whosever they are, those beyond in fair shares of the addresses they come from:
/// one client that sends many at once does not have all others refused until they are completed.
final class Admission {
    sealed interface Verdict {}

    /// @param sharer the address that has a place among the shares; [CallerScope#SERVER] if the request needs none
    record Admitted(String sharer) implements Verdict {}

    enum Refused implements Verdict {
        FULL,
        DRAINING
    }

    private static final Admitted ADMITTED = new Admitted(CallerScope.SERVER);

    private final int limit;
    private final int unshared;
    private final FairShares shares;
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
        this.unshared = limit - limit / 2;
        this.shares = FairShares.ofAddresses(limit / 2);
    }

    /// After admission [#leave] is called once.
    ///
    /// @param address as [CallerScope] names it; asked only while there are many requests
    Verdict enter(Supplier<String> address) {
        int now = inFlight.incrementAndGet();
        if (!draining) {
            var admitted = now <= unshared ? ADMITTED : new Admitted(address.get());
            if (now <= unshared || shares.tryTake(admitted.sharer)) {
                if (leaving) {
                    lastWhileLeaving = System.nanoTime();
                }
                return admitted;
            }
        }
        rejected.increment();
        left();
        return draining ? Refused.DRAINING : Refused.FULL;
    }

    void leave(Admitted admitted) {
        if (!admitted.sharer.equals(CallerScope.SERVER)) {
            shares.release(admitted.sharer);
        }
        left();
    }

    private void left() {
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
