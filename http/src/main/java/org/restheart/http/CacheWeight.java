package org.restheart.http;

/// Weighs the entries of caches that are bounded by bytes and by entries.
public final class CacheWeight {
    private CacheWeight() {}

    /// The weight of an entry: at least its share of all bytes, so that there are no more than `maxEntries`; one alone
    /// fits, whatever its size.
    ///
    /// @param bytes of heap that the entry takes
    /// @param maxBytes of all entries
    public static int of(long bytes, int maxEntries, long maxBytes) {
        long least = Math.max(1, maxBytes / maxEntries);
        long most = Math.min(maxBytes, Integer.MAX_VALUE);
        return (int) Math.min(most, Math.max(least, bytes));
    }
}
