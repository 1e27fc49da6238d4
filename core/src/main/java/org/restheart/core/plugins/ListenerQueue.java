package org.restheart.core.plugins;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.plugin.CompletionListener;
import org.restheart.plugin.CompletionListener.Completed;

/// What waits for one listener: bounded, so that a slow one neither fills memory nor delays answers. A
/// virtual thread works for it while something waits. Thread-safe.
final class ListenerQueue {
    private static final int MOST = 10_000;

    /// In bytes, approximately.
    private static final long MOST_BYTES = 16 << 20;

    private static final int USUAL_BYTES = 500;
    private static final int ID_BYTES = 50;
    private static final String WHAT = "listener";

    private final PluginCalls calls;
    private final CompletionListener listener;

    @GuardedBy("this")
    private final ArrayDeque<Completed> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private @Nullable Thread worker;

    ListenerQueue(PluginCalls calls, CompletionListener listener) {
        this.calls = calls;
        this.listener = listener;
    }

    /// Never blocks for longer than it takes to add it.
    void offer(Completed what) {
        synchronized (this) {
            if (waiting.size() < MOST && bytes + length(what) <= MOST_BYTES) {
                waiting.add(what);
                bytes += length(what);
                if (worker == null) {
                    worker = Thread.ofVirtual().name(calls.thread()).start(this::work);
                }
                return;
            }
        }
        calls.report(WHAT, new IllegalStateException("it is too slow: what it was to hear of is dropped"));
    }

    private static long length(Completed what) {
        int ids = what.report().map(report -> report.inserted().size()).orElse(0);
        return USUAL_BYTES + what.path().raw().length() + (long) ID_BYTES * ids;
    }

    private void work() {
        for (var next = next(); next != null; next = next()) {
            var what = next;
            calls.run(WHAT, () -> {
                listener.completed(what);
                return true;
            });
        }
    }

    private synchronized @Nullable Completed next() {
        var next = waiting.poll();
        if (next == null) {
            worker = null;
            notifyAll();
        } else {
            bytes -= length(next);
        }
        return next;
    }

    /// Waits until the listener has heard of all, but not for longer.
    synchronized void close(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        try {
            for (long left = time.toNanos(); worker != null && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        waiting.clear();
        bytes = 0;
        if (worker != null) {
            worker.interrupt();
        }
    }
}
