package org.restheart.perftest.ycsb;

import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Window;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/// Runs one core workload through one binding: each thread does one transaction after the other. Immutable.
///
/// @param namespace holds `records` documents that [YcsbTable] has loaded
public record YcsbLoad(
        YcsbWorkload workload, Binding binding, Namespace namespace, long records, int threads, Window window) {

    /// Measures transactions: a read-modify-write is one. Its keys are random without a seed; YCSB offers none.
    ///
    /// @param watch read at the beginning and the end of the recorded time
    public Measurement run(CpuWatch watch) throws InterruptedException {
        var core = workload.create(namespace.collection(), records);
        try (var bound = Bound.to(binding, namespace);
                var executor = Executors.newFixedThreadPool(threads)) {
            var clock = new Clock(System.nanoTime(), window);
            var running = IntStream.range(0, threads)
                    .mapToObj(i -> executor.submit(transactions(core, new WatchedDb(bound.db()), i, clock)))
                    .toList();
            clock.awaitRecording();
            var begin = watch.read();
            clock.awaitEnd();
            var cpu = watch.since(begin);
            var total = new Tally();
            for (var thread : running) {
                total.add(thread.get());
            }
            return total.measurement(clock, cpu);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the benchmark failed", e.getCause());
        }
    }

    private Callable<Tally> transactions(CoreWorkload core, WatchedDb db, int thread, Clock clock) {
        return () -> {
            var state = threadState(core, thread);
            var tally = new Tally();
            var begin = System.nanoTime();
            while (!clock.over(begin)) {
                core.doTransaction(db, state);
                var now = System.nanoTime();
                var failure = db.takeFailure();
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

    /// The core workloads have none, but that is theirs to know.
    private Object threadState(CoreWorkload core, int thread) throws WorkloadException {
        return core.initThread(new Properties(), thread, threads);
    }
}
