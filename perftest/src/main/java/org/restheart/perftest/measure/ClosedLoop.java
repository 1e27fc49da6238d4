package org.restheart.perftest.measure;

import java.util.concurrent.Callable;

/// What one thread does that makes its next call when the last one has returned.
public final class ClosedLoop {
    private ClosedLoop() {}

    /// @param attempt makes one call and returns the kind of its failure, empty for success
    public static Callable<Tally> of(Clock clock, Callable<String> attempt) {
        return () -> {
            var tally = new Tally();
            var begin = System.nanoTime();
            while (!clock.over(begin)) {
                var failure = attempt.call();
                var now = System.nanoTime();
                if (clock.takes(now)) {
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
