package org.restheart.core.plugins;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.plugin.CompletionListener;
import org.restheart.plugin.CompletionListener.Completed;

/// What waits for one listener: bounded, so that a slow one neither fills memory nor delays answers. A
/// virtual thread works for it while something waits. Thread-safe.
final class ListenerQueue {
    private static final int MOST = 10_000;

    /// In bytes, approximately.
    private static final long MOST_BYTES = 16 << 20;

    private static final long USUAL_BYTES = 500;
    private static final long ID_BYTES = 50;
    private static final String WHAT = "listener";

    private final PluginCalls calls;
    private final CompletionListener listener;

    @GuardedBy("this")
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private @Nullable Thread worker;

    private record Waiting(Completed what, long bytes) {}

    ListenerQueue(PluginCalls calls, CompletionListener listener) {
        this.calls = calls;
        this.listener = listener;
    }

    /// Never blocks for longer than it takes to add it.
    void offer(Completed what) {
        long length = length(what);
        synchronized (this) {
            if (waiting.size() < MOST && bytes + length <= MOST_BYTES) {
                waiting.add(new Waiting(what, length));
                bytes += length;
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
        var values = new BsonArray();
        what.report().ifPresent(report -> {
            values.addAll(report.inserted());
            report.upserted().ifPresent(values::add);
            values.addAll(report.errors());
        });
        int location = what.headers().first("Location").map(String::length).orElse(0);
        long bytes = USUAL_BYTES + what.path().raw().length() + location;
        for (var value : values) {
            bytes += ID_BYTES + length(value);
        }
        return bytes;
    }

    private static int length(BsonValue value) {
        return switch (value.getBsonType()) {
            case STRING -> value.asString().getValue().length();
            case OBJECT_ID, INT32, INT64 -> 0;
            default -> RawDocuments.encode(new BsonDocument("", value)).getByteLength();
        };
    }

    private void work() {
        for (var next = next(); next != null; next = next()) {
            var what = next.what;
            calls.run(WHAT, () -> listener.completed(what));
        }
    }

    private synchronized @Nullable Waiting next() {
        var next = waiting.poll();
        if (next == null) {
            worker = null;
        } else {
            bytes -= next.bytes;
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
