package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What is remembered of the queries of one shape. Thread-safe.
final class Traversal {
    private final Duration maxAge;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean building = new AtomicBoolean();

    private volatile @Nullable Bookmarks bookmarks;

    /// When it turned out that no index has this order, in [System#nanoTime()].
    private volatile @Nullable Long unfitSince;

    Traversal(Duration maxAge) {
        this.maxAge = maxAge;
    }

    /// Unless they are too old.
    Optional<Bookmarks> bookmarks() {
        return Optional.ofNullable(bookmarks).filter(those -> age(those.setAt()).compareTo(maxAge) < 0);
    }

    /// Whether the caller is to set bookmarks now, and then to call [#built]: a query that is asked once is not worth
    /// it; from half their age on, bookmarks are replaced while they still serve.
    boolean startBuild() {
        if (asked.incrementAndGet() < 2) {
            return false;
        }
        var unfit = unfitSince;
        if (unfit != null && age(unfit).compareTo(maxAge) < 0) {
            return false;
        }
        boolean fresh = bookmarks()
                .filter(those -> age(those.setAt()).compareTo(maxAge.dividedBy(2)) < 0)
                .isPresent();
        return !fresh && building.compareAndSet(false, true);
    }

    /// The build is over, however it ended.
    void built() {
        building.set(false);
    }

    void use(Bookmarks fresh) {
        bookmarks = fresh;
        unfitSince = null;
    }

    /// No index has this order, any more: nothing is tried again for a while.
    void giveUp() {
        unfitSince = System.nanoTime();
        bookmarks = null;
    }

    /// Whether it has turned out that bookmarks cannot serve the queries.
    boolean isUnfit() {
        return unfitSince != null;
    }

    /// What is known of the index does not hold any more.
    void forget() {
        bookmarks = null;
    }

    private static Duration age(long since) {
        return Duration.ofNanos(System.nanoTime() - since);
    }
}
