package org.restheart.http;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts what a cache does, for metrics. Thread-safe.
public final class CacheMeter {
    private final String name;
    private final LongSupplier entries;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder evictions = new LongAdder();

    /// @param name such as `metadata`
    /// @param entries how many there are now; called when metrics are read
    public CacheMeter(String name, LongSupplier entries) {
        this.name = name;
        this.entries = entries;
    }

    public String name() {
        return name;
    }

    public long entries() {
        return entries.getAsLong();
    }

    /// A value was found in the cache.
    public void hit() {
        hits.increment();
    }

    /// A value had to be made or read.
    public void miss() {
        misses.increment();
    }

    /// A value was removed because there were too many or because it was too old.
    public void evicted() {
        evictions.increment();
    }

    public long hits() {
        return hits.sum();
    }

    public long misses() {
        return misses.sum();
    }

    public long evictions() {
        return evictions.sum();
    }
}
