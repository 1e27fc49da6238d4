package org.restheart.core.plugins;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
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
        calls.meters().dropped(WHAT);
        calls.report(WHAT, new IllegalStateException("it is too slow: what it was to hear of is dropped"));
    }

    private static long length(Completed what) {
        int ids = what.report().map(report -> report.inserted().size()).orElse(0);
        return USUAL_BYTES + what.path().raw().length() + (long) ID_BYTES * ids;
    }

    private void work() {
        for (var next = next(); next != null; next = next()) {
            var what = next;
            calls.run(WHAT, () -> listener.completed(what));
        }
    }

    private synchronized @Nullable Completed next() {
        var next = waiting.poll();
        if (next == null) {
            worker = null;
        } else {
            bytes -= length(next);
        }
        return next;
    }

    /// The thread that ends when the listener has heard of all; null if it has.
    synchronized @Nullable Thread worker() {
        return worker;
    }

    /// Nobody waits for it any more.
    synchronized void close() {
        waiting.clear();
        bytes = 0;
    }
}
