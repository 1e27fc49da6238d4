package org.restheart.mongo.resultcache;

import com.mongodb.MongoNamespace;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts the writes through this server, so that what was read before one is told from what was read after it.
/// Collections share a bounded number of counters: a write to one may also make another's results look old.
/// Thread-safe.
public final class Writes {
    private static final int COUNTERS = 1 << 10;

    private final AtomicLongArray byCollection = new AtomicLongArray(COUNTERS);
    private final AtomicLong everywhere = new AtomicLong();

    /// Call it when a write to the collection is done, before its result is told.
    public void written(MongoNamespace namespace) {
        byCollection.incrementAndGet(counter(namespace));
    }

    /// As [#written], for changes of which it is not known what they touch, such as the end of a transaction.
    public void writtenAnywhere() {
        everywhere.incrementAndGet();
    }

    /// Grows with every write: a result that was read from when this was asked on is as good as new while it is the
    /// same.
    long until(MongoNamespace namespace) {
        return byCollection.get(counter(namespace)) + everywhere.get();
    }

    private static int counter(MongoNamespace namespace) {
        int hash = namespace.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNTERS - 1);
    }
}
