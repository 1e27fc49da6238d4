package org.restheart.perftest.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.ClosedLoop;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Window;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/// Runs one core workload through one binding: each thread does one transaction after the other. Immutable.
///
/// @param namespace holds `records` documents that [YcsbTable] has loaded
/// @param seed of what the threads choose; see [SeededWorkload]
public record YcsbLoad(
        YcsbWorkload workload,
        YcsbBinding binding,
        Namespace namespace,
        long records,
        int threads,
        Window window,
        long seed) {

    /// Measures transactions: a read-modify-write is one.
    public Measurement run(Recording recording) throws IOException, InterruptedException {
        var workloads = workload.create(namespace.collection(), records, threads, seed);
        try (var bound = Bound.to(binding, namespace);
                var executor = Executors.newFixedThreadPool(threads)) {
            var clock = new Clock(System.nanoTime(), window);
            var running = new ArrayList<Future<Tally>>();
            for (var i = 0; i < threads; i++) {
                var core = workloads.get(i);
                running.add(
                        executor.submit(transactions(core, new WatchedDb(bound.db()), threadState(core, i), clock)));
            }
            return recording.of(clock, running);
        } catch (WorkloadException e) {
            throw new IllegalStateException("the core workload does not start", e);
        }
    }

    private static Callable<Tally> transactions(CoreWorkload core, WatchedDb db, Object state, Clock clock) {
        return ClosedLoop.of(clock, () -> {
            core.doTransaction(db, state);
            return db.takeFailure();
        });
    }

    /// The core workloads have none, but that is theirs to know.
    private Object threadState(CoreWorkload core, int thread) throws WorkloadException {
        return core.initThread(new Properties(), thread, threads);
    }
}
