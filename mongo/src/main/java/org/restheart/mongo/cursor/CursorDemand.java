package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.find.FindQuery;

/// The demand for one query over all its requests. Thread-safe.
final class CursorDemand {
    /// How long the size of a result is cached, and how long nothing is retried after a failure.
    private static final Duration KNOWN = Duration.ofMinutes(1);

    private record Known(long number, long since) {
        boolean isFresh() {
            return System.nanoTime() - since < KNOWN.toNanos();
        }
    }

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile FindQuery latest;
    private volatile @Nullable Known size;
    private volatile @Nullable Known end;
    private volatile @Nullable Known failure;

    CursorDemand(FindQuery first) {
        this.latest = first;
    }

    /// @return whether the caller has to position the query's cursors now, and then to call [#done]; false for
    ///     the first request of a query
    boolean ask(FindQuery query) {
        latest = query;
        return asked.incrementAndGet() > 1 && !isFresh(failure) && busy.compareAndSet(false, true);
    }

    void done() {
        busy.set(false);
    }

    /// The query of the latest request.
    FindQuery latest() {
        return latest;
    }

    /// Prevents retries for a minute.
    void failed() {
        failure = new Known(0, System.nanoTime());
    }

    /// Records that the result has no document at the position.
    void endsBefore(long position) {
        end = new Known(position, System.nanoTime());
    }

    /// Whether the result is known to have no document at the position.
    boolean isBehindEnd(long position) {
        var known = end;
        return known != null && known.isFresh() && position >= known.number();
    }

    /// Documents of the whole result, as of the last minute.
    long size(LongSupplier count) {
        var known = size;
        if (known == null || !known.isFresh()) {
            known = new Known(count.getAsLong(), System.nanoTime());
            size = known;
        }
        return known.number();
    }

    private static boolean isFresh(@Nullable Known known) {
        return known != null && known.isFresh();
    }
}
