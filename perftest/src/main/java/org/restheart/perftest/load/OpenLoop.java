package org.restheart.perftest.load;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Window;

/// Sends `GET` requests at a constant rate, whatever the server does; wrk cannot. Latency counts from the moment a
/// request was due, so a server that stalls is charged for all that it kept waiting (no coordinated omission). For some
/// thousand requests per second: each waits in a virtual thread of its own.
///
/// @param target with `{}` where each request has another number
/// @param rate per second
/// @param pids whose CPU time is measured besides that of this process, by name
public record OpenLoop(RestDialect dialect, String target, double rate, Window window, Map<String, Long> pids) {

    /// One answer, or a failure to get one.
    ///
    /// @param atNanos when it was there, by [System#nanoTime()]
    /// @param nanos since it was due
    private record Outcome(long atNanos, long nanos, String failure) {}

    public Measurement run() throws InterruptedException {
        var idle = new ConcurrentLinkedDeque<BlockingHttp>();
        var outcomes = new ConcurrentLinkedQueue<Outcome>();
        long start = System.nanoTime();
        long recorded = start + TimeUnit.MILLISECONDS.toNanos(window.warmUpMillis());
        long end = recorded + TimeUnit.MILLISECONDS.toNanos(window.millis());
        var watch = new CpuWatch(pids).alsoThisProcess(Wrk.CLIENT);
        var begin = watch.read();
        long due = start;
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (long n = 0; due < end; due = start + (long) (++n * 1e9 / rate)) {
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                if (due < recorded) {
                    begin = watch.read();
                }
                long at = due;
                executor.execute(() -> outcomes.add(ask(idle, at)));
            }
        }
        var cpu = watch.since(begin);
        idle.forEach(BlockingHttp::close);
        var tally = new Tally();
        for (var outcome : outcomes) {
            if (outcome.atNanos() < recorded || outcome.atNanos() >= end) {
                continue;
            }
            if (outcome.failure().isEmpty()) {
                tally.success(outcome.atNanos(), outcome.nanos());
            } else {
                tally.failure(outcome.atNanos(), outcome.failure());
            }
        }
        return tally.measurement(window.millis() / 1000.0, Optional.empty(), cpu);
    }

    private Outcome ask(ConcurrentLinkedDeque<BlockingHttp> idle, long due) {
        var pooled = idle.pollFirst();
        var connection = pooled == null ? dialect.connection() : pooled;
        var failure = "";
        try {
            var number = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
            int status = connection
                    .exchange(dialect.head(target.replace(Requests.PLACE, number)), new byte[0])
                    .status();
            failure = status < 400 ? "" : "HTTP " + status;
            idle.addFirst(connection);
        } catch (IOException e) {
            failure = e.getClass().getSimpleName();
        }
        long now = System.nanoTime();
        return new Outcome(now, now - due, failure);
    }
}
