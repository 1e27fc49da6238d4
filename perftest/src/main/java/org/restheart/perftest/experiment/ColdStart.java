package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// The first deep page that a gateway serves, and how long until the page costs less than thrice the first one.
///
/// @param timeout seconds until it is given up
record ColdStart(Namespace namespace, long skip, int limit, int timeout) {
    private static final int PAUSE_MILLIS = 100;
    private static final int FIRST_PAGES = 200;
    private static final Window ONCE = new Window(0, 600_000, 1);

    List<String> of(Subject gateway) throws IOException, InterruptedException {
        var first = new Operation.Page(namespace, 0, limit);
        var some = new Window(0, 600_000, FIRST_PAGES);
        gateway.measure(first, 1, some);
        var target = 3 * gateway.measure(first, 1, some).latency().p50();
        var deep = new Operation.Page(namespace, skip, limit);
        var began = System.nanoTime();
        var cold = gateway.measure(deep, 1, ONCE).latency().max();
        var giveUp = began + TimeUnit.SECONDS.toNanos(timeout);
        var latency = cold;
        while (latency > target && System.nanoTime() < giveUp) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            latency = gateway.measure(deep, 1, ONCE).latency().max();
        }
        var seconds = (System.nanoTime() - began) / 1e9;
        return List.of(
                String.format(ROOT, "cold start: the first deep page took %.1f ms", cold / 1000),
                latency > target
                        ? "cold start: the deep page was not fast within " + timeout + " s"
                        : String.format(
                                ROOT,
                                "cold start: the deep page took %.1f ms (less than three first pages, %.1f ms), %.1f s"
                                        + " after one was first asked for",
                                latency / 1000,
                                target / 1000,
                                seconds));
    }
}
