package org.restheart.http;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts what a cache does, for metrics, and weighs its entries. Thread-safe.
public final class CacheMeter {
    private final String name;
    private final LongSupplier entries;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder evictions = new LongAdder();

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

    public void hit() {
        hits.increment();
    }

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

    /// The weight of an entry of a cache that is bounded by bytes and by entries: at least its share of all bytes, so
    /// that there are no more than `maxEntries`; one alone fits, whatever its size.
    ///
    /// @param bytes of heap that the entry takes
    public static int weight(long bytes, int maxEntries, long maxBytes) {
        long least = Math.max(1, maxBytes / maxEntries);
        long most = Math.min(maxBytes, Integer.MAX_VALUE);
        return (int) Math.min(most, Math.max(least, bytes));
    }
}
