package org.restheart.perftest.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.workload.Window;

/// Loads a server over HTTP/1.1 and measures it. Immutable.
///
/// @param connections kept open throughout; at most one request on each
/// @param threads of the client; the connections are dealt out among them
/// @param seed of the random slots
public record HttpLoad(
        String host,
        int port,
        RequestTemplate traffic,
        int connections,
        int threads,
        Pace pace,
        Window window,
        long seed) {

    public HttpLoad {
        if (threads < 1 || connections < threads) {
            throw new IllegalArgumentException(
                    "threads must be from 1 to the number of connections, but were " + threads + " of " + connections);
        }
    }

    /// Opens the connections, loads the server through warm-up and recording, and closes them again.
    public Measurement run(Recording recording) throws IOException, InterruptedException {
        var address = new InetSocketAddress(host, port);
        var steps = new AtomicLong();
        var opened = new ArrayList<LoadThread.Connections>();
        for (var i = 0; i < threads; i++) {
            var share = connections / threads + (i < connections % threads ? 1 : 0);
            opened.add(LoadThread.Connections.open(address, share, new RequestSource(traffic, seed * 31 + i, steps)));
        }
        var start = System.nanoTime();
        var clock = new Clock(start, window);
        var tasks = new ArrayList<LoadThread>();
        for (var i = 0; i < threads; i++) {
            tasks.add(new LoadThread(opened.get(i), clock, schedule(start, i), pace instanceof Pace.Open));
        }
        try (var executor = Executors.newFixedThreadPool(threads)) {
            return recording.of(clock, tasks.stream().map(executor::submit).toList());
        }
    }

    private LoadThread.Schedule schedule(long start, int thread) {
        var rate = pace instanceof Pace.Open(var perSecond) ? perSecond : 1.0;
        return new LoadThread.Schedule(start, rate / threads, (double) thread / threads);
    }
}
