package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.load.Requests;
import org.restheart.perftest.load.RestDialect;
import org.restheart.perftest.load.Wrk;
import org.restheart.perftest.measure.JvmMemory;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// A server with the gateway's REST API, loaded by wrk.
///
/// @param startMillis until it answered
/// @param watch its process, and MongoDB's
/// @param threads of the load client, at most
record HttpSubject(String name, RestDialect dialect, long startMillis, Map<String, Long> watch, int threads)
        implements Subject {

    /// The same server under another name, asked by someone else.
    ///
    /// @param credentials `name:password`; empty for anonymous requests
    HttpSubject as(String name, String credentials) {
        return with(name, dialect.as(credentials));
    }

    HttpSubject with(String name, RestDialect dialect) {
        return new HttpSubject(name, dialect, startMillis, watch, threads);
    }

    @Override
    public Measurement measure(Operation operation, int concurrency, Window window)
            throws IOException, InterruptedException {
        return measure(dialect.traffic(operation), concurrency, window);
    }

    /// Requests that are no REST operation. wrk counts in whole seconds, one at least.
    Measurement measure(List<Requests> requests, int concurrency, Window window)
            throws IOException, InterruptedException {
        if (window.warmUpMillis() > 0) {
            var _ = run(requests, concurrency, window.warmUpMillis());
        }
        return run(requests, concurrency, window.millis());
    }

    private Measurement run(List<Requests> requests, int concurrency, long millis)
            throws IOException, InterruptedException {
        int seconds = (int) Math.max(1, Math.round(millis / 1000.0));
        return Wrk.run(dialect.port(), requests, concurrency, threads, seconds, dialect.seed(), watch);
    }

    long residentBytes() {
        return JvmMemory.resident(watch.getOrDefault("gateway", 0L));
    }
}
