package org.restheart.mongo.resultcache;

import com.mongodb.MongoNamespace;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts the writes through this server, so that results read before a write can be recognized. Collections share a
/// bounded number of counters: a write to one may also invalidate results of another. Thread-safe.
public final class WriteCounters {
    private static final int COUNTERS = 1 << 10;

    private final AtomicLongArray byCollection = new AtomicLongArray(COUNTERS);
    private final AtomicLong everywhere = new AtomicLong();

    /// Called when a write to the collection is done, before its response is sent.
    public void written(MongoNamespace namespace) {
        byCollection.incrementAndGet(counter(namespace));
    }

    /// As [#written], for changes of unknown collections, such as the end of a transaction.
    public void writtenAnywhere() {
        everywhere.incrementAndGet();
    }

    /// Grows with every write: a result that was read after this call is current while the value is unchanged.
    long until(MongoNamespace namespace) {
        return byCollection.get(counter(namespace)) + everywhere.get();
    }

    private static int counter(MongoNamespace namespace) {
        int hash = namespace.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNTERS - 1);
    }
}
