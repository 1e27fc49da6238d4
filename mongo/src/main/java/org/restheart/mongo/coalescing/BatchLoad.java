package org.restheart.mongo.coalescing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// How many requests wait in all queues or are part of a running command. Where they are many, the processors are
/// shared by commands of several kinds: a queue that sees few of the requests should combine them as well. Thread-safe.
final class BatchLoad {
    /// As many as four commands of batches that [BatchQueue] calls large.
    private static final int MANY = 32;

    /// Commands end together, so that the number falls for a moment between two of them.
    private static final long MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicInteger requests = new AtomicInteger();
    private volatile boolean everHigh;
    private volatile long lastHigh;

    /// @param now in [System#nanoTime()]
    void add(int count, long now) {
        if (requests.addAndGet(count) >= MANY) {
            lastHigh = now;
            everHigh = true;
        }
    }

    void remove(int count) {
        requests.addAndGet(-count);
    }

    /// Whether there are many requests, or were a moment ago.
    boolean isHigh(long now) {
        return everHigh && now - lastHigh < MEMORY_NANOS;
    }

    /// For tests.
    int requests() {
        return requests.get();
    }
}
