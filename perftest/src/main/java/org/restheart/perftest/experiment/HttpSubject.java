package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.restheart.perftest.load.HttpLoad;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// A server with the gateway's REST API, loaded by a worker process.
///
/// @param watch its process, and MongoDB's
/// @param threads of the load client, at most
record HttpSubject(String name, Worker worker, RestDialect dialect, Map<String, Long> watch, int threads, long seed)
        implements Subject {

    /// The same server under another name, asked by someone else.
    ///
    /// @param credentials `name:password`; empty for anonymous requests
    HttpSubject as(String name, String credentials) {
        return new HttpSubject(name, worker, dialect.as(credentials), watch, threads, seed);
    }

    /// The same, with one more process whose CPU time is measured.
    HttpSubject alsoWatching(String process, long pid) {
        var all = new TreeMap<>(watch);
        all.put(process, pid);
        return new HttpSubject(name, worker, dialect, all, threads, seed);
    }

    @Override
    public Measurement measure(Operation operation, int concurrency, Window window) throws IOException {
        return measure(operation, concurrency, new Pace.Closed(), window);
    }

    Measurement measure(Operation operation, int concurrency, Pace pace, Window window) throws IOException {
        return measure(dialect.traffic(operation), concurrency, pace, window);
    }

    /// Requests that are no REST operation.
    Measurement measure(RequestTemplate traffic, int concurrency, Pace pace, Window window) throws IOException {
        var load = new HttpLoad(
                "127.0.0.1", dialect.port(), traffic, concurrency, Math.min(threads, concurrency), pace, window, seed);
        return worker.run(new Task.Http(load, watch));
    }
}
