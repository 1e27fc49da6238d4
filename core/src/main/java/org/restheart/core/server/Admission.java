package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
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

    /// A request in flight.
    static final class Admitted implements Verdict {
        private final Admission admission;

        /// The address that has a place among the shares; [CallerScope#SERVER] if the request needs none.
        private final String sharer;

        private final AtomicBoolean left = new AtomicBoolean();

        private Admitted(Admission admission, String sharer) {
            this.admission = admission;
            this.sharer = sharer;
        }

        void leave() {
            if (left.compareAndSet(false, true)) {
                admission.leave(sharer);
            }
        }
    }

    enum Refused implements Verdict {
        FULL,
        DRAINING
    }

    private final int limit;
    private final int mostUnshared;
    private final FairShares shares;
    private final AtomicInteger inFlight = new AtomicInteger();

    /// Those in flight that need no place among the shares. They are counted apart: who holds shares leaves this half
    /// to others.
    private final AtomicInteger unshared = new AtomicInteger();

    private final LongAdder rejected = new LongAdder();
    private volatile boolean leaving;
    private volatile long lastWhileLeaving;
    private volatile boolean draining;

    Admission(int limit) {
        this.limit = limit;
        this.mostUnshared = limit - limit / 2;
        this.shares = FairShares.ofAddresses(limit / 2);
    }

    /// After admission [Admitted#leave()] is called.
    ///
    /// @param address as [CallerScope] names it; asked only while there are many requests
    Verdict enter(Supplier<String> address) {
        inFlight.incrementAndGet();
        if (!draining) {
            boolean isUnshared = unshared.getAndUpdate(now -> Math.min(now + 1, mostUnshared)) < mostUnshared;
            var sharer = isUnshared ? CallerScope.SERVER : address.get();
            if (isUnshared || shares.tryTake(sharer)) {
                if (leaving) {
                    lastWhileLeaving = System.nanoTime();
                }
                return new Admitted(this, sharer);
            }
        }
        rejected.increment();
        left();
        return draining ? Refused.DRAINING : Refused.FULL;
    }

    private void leave(String sharer) {
        if (sharer.equals(CallerScope.SERVER)) {
            unshared.decrementAndGet();
        } else {
            shares.release(sharer);
        }
        left();
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

    Duration sinceLastRequest() {
        return Duration.ofNanos(System.nanoTime() - lastWhileLeaving);
    }

    void close() {
        draining = true;
    }

    private void left() {
        if (inFlight.decrementAndGet() == 0 && draining) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /// After [#close()]: waits until the last request has left.
    synchronized boolean awaitEmpty(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (long rest = atMost.toNanos(); rest > 0 && inFlight.get() > 0; rest = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, rest);
        }
        return inFlight.get() == 0;
    }

    int inFlight() {
        return inFlight.get();
    }

    int limit() {
        return limit;
    }

    long rejected() {
        return rejected.sum();
    }
}
