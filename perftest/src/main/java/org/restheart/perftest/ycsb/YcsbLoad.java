package org.restheart.perftest.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Window;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
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
        return clock.closedLoop(() -> {
            core.doTransaction(db, state);
            return db.takeFailure();
        });
    }

    /// The core workloads have none, but that is theirs to know.
    private Object threadState(CoreWorkload core, int thread) throws WorkloadException {
        return core.initThread(new Properties(), thread, threads);
    }

    /// Records whether any operation of a transaction failed, which the core workloads do not report. One per thread.
    private static final class WatchedDb extends DB {
        private final DB db;
        private String failure = "";

        WatchedDb(DB db) {
            this.db = db;
        }

        /// What failed since the last call, empty if nothing did.
        String takeFailure() {
            var taken = failure;
            failure = "";
            return taken;
        }

        @Override
        public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            return watched(db.read(table, key, fields, result));
        }

        @Override
        @SuppressWarnings("NonApiType") // as YCSB declares it
        public Status scan(
                String table,
                String first,
                int count,
                Set<String> fields,
                Vector<HashMap<String, ByteIterator>> result) {
            return watched(db.scan(table, first, count, fields, result));
        }

        @Override
        public Status update(String table, String key, Map<String, ByteIterator> values) {
            return watched(db.update(table, key, values));
        }

        @Override
        public Status insert(String table, String key, Map<String, ByteIterator> values) {
            return watched(db.insert(table, key, values));
        }

        @Override
        public Status delete(String table, String key) {
            return watched(db.delete(table, key));
        }

        private Status watched(Status status) {
            if (!status.isOk()) {
                failure = status.getName();
            }
            return status;
        }
    }
}
