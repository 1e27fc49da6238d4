package org.restheart.perftest.measure;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.restheart.perftest.workload.Window;

/// The times of one run, shared by its threads. Thread-safe. Times are those of [System#nanoTime()].
public final class Clock {
    private final long recordFrom;
    private final long end;
    private final boolean counted;
    private final AtomicLong left;
    private final CountDownLatch allTaken = new CountDownLatch(1);

    public Clock(long start, Window window) {
        recordFrom = start + TimeUnit.MILLISECONDS.toNanos(window.warmUpMillis());
        end = recordFrom + TimeUnit.MILLISECONDS.toNanos(window.millis());
        counted = window.operations() > 0;
        left = new AtomicLong(window.operations());
    }

    /// Whether something that ends now is to be recorded; takes one of the operations that are left.
    public boolean takes(long now) {
        if (now < recordFrom || now >= end) {
            return false;
        }
        if (!counted) {
            return true;
        }
        var before = left.getAndDecrement();
        if (before <= 1) {
            allTaken.countDown();
        }
        return before > 0;
    }

    public boolean over(long now) {
        return now >= end || (counted && left.get() <= 0);
    }

    public void awaitRecording() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(recordFrom - System.nanoTime());
    }

    /// Until the recorded time or the last operation is over, whichever comes first.
    public void awaitEnd() throws InterruptedException {
        var _ = allTaken.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /// How long was recorded.
    ///
    /// @param last when the last recorded operation ended
    public double seconds(long last) {
        var until = counted && left.get() <= 0 ? Math.max(last, recordFrom + 1) : end;
        return (until - recordFrom) / 1e9;
    }

    /// What one thread does that makes its next call when the last one has returned.
    ///
    /// @param attempt makes one call and returns the kind of its failure, empty for success
    public Callable<Tally> closedLoop(Callable<String> attempt) {
        return () -> {
            var tally = new Tally();
            var begin = System.nanoTime();
            while (!over(begin)) {
                var failure = attempt.call();
                var now = System.nanoTime();
                if (takes(now)) {
                    if (failure.isEmpty()) {
                        tally.success(now, now - begin);
                    } else {
                        tally.failure(now, failure);
                    }
                }
                begin = now;
            }
            return tally;
        };
    }
}
