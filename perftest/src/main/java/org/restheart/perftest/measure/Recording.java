package org.restheart.perftest.measure;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/// Watches the recorded time of a load that runs in other threads, and adds up what they have counted. Immutable.
///
/// @param watch read at the beginning and the end of the recorded time
/// @param onStart told of the clock when it runs, to show progress
public record Recording(CpuWatch watch, Consumer<Clock> onStart) {

    /// Without showing progress.
    public Recording(CpuWatch watch) {
        this(watch, _ -> {});
    }

    /// Waits until recording is over and the threads have ended.
    ///
    /// @throws IOException if a thread failed
    public Measurement of(Clock clock, List<Future<Tally>> threads) throws IOException, InterruptedException {
        onStart.accept(clock);
        clock.awaitRecording();
        var begin = watch.read();
        clock.awaitEnd();
        var cpu = watch.since(begin);
        var total = new Tally();
        for (var thread : threads) {
            total.add(result(thread));
        }
        return total.measurement(clock, cpu);
    }

    private static Tally result(Future<Tally> thread) throws IOException, InterruptedException {
        try {
            return thread.get();
        } catch (ExecutionException e) {
            throw new IOException("a thread of the load failed", e.getCause());
        }
    }
}
