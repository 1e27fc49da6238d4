package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.find.FindQuery;

/// The bookmarks of the queries with one [FindQuery#orderKey()], and the schedule of their builds. The filter of
/// the caller's permission is part of the key, so callers who may see different documents never share bookmarks.
/// Thread-safe.
final class QueryBookmarks {
    /// At most a tenth of the time is spent on bookmarks that writes invalidate.
    private static final int BACKOFF = 10;

    /// The longest pause after repeated invalidations, in durations of the build.
    private static final int MAX_BACKOFF = 10_000;

    private final FindQuery query;
    private final Duration maxAge;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile long lastRequest = System.nanoTime();

    @GuardedBy("this")
    private boolean building;

    @GuardedBy("this")
    private boolean unfit;

    @GuardedBy("this")
    private boolean discarded;

    @GuardedBy("this")
    private long notBefore = System.nanoTime();

    @GuardedBy("this")
    private int backoff = BACKOFF;

    @GuardedBy("this")
    private long lastPause;

    @GuardedBy("this")
    private long usedSince;

    @GuardedBy("this")
    private @Nullable Bookmarks current;

    /// @param query one with the key
    QueryBookmarks(FindQuery query, Duration maxAge) {
        this.query = query;
        this.maxAge = maxAge;
    }

    /// A query with the key: its namespace, filter, sort and settings are those of all.
    FindQuery query() {
        return query;
    }

    synchronized Optional<Bookmarks> bookmarks() {
        return Optional.ofNullable(current).filter(those -> those.isUsable());
    }

    /// Whether the caller has to set bookmarks now, and then to call one of the following methods. False for the
    /// first request of a query.
    boolean startBuild() {
        lastRequest = System.nanoTime();
        if (requests.incrementAndGet() < 2) {
            return false;
        }
        synchronized (this) {
            boolean fresh = bookmarks().filter(those -> those.isFresh()).isPresent();
            if (fresh || building || discarded || System.nanoTime() - notBefore < 0) {
                return false;
            }
            building = true;
            return true;
        }
    }

    /// Records that the build was not started; a later request tries again.
    synchronized void postpone() {
        building = false;
    }

    /// Records that bookmarks cannot be set: builds are paused for a while. Existing ones stay in use.
    synchronized void fail() {
        building = false;
        unfit = true;
        notBefore = System.nanoTime() + maxAge.toNanos();
    }

    /// Whether bookmarks are known not to be usable for the queries, or not for a while, since changes undo them.
    synchronized boolean isUnfit() {
        return unfit || (bookmarks().isEmpty() && System.nanoTime() - notBefore < 0);
    }

    /// The next build is delayed, so that most of the time is left for other work.
    synchronized void use(Bookmarks fresh) {
        building = false;
        unfit = false;
        usedSince = System.nanoTime();
        current = discarded ? null : fresh;
        pauseAfter(fresh);
    }

    /// Records that a change invalidated them before they were used: the next build is delayed longer.
    synchronized void invalidated(Bookmarks those) {
        building = false;
        backoff = Math.min(2 * backoff, MAX_BACKOFF);
        pauseAfter(those);
    }

    @GuardedBy("this")
    private void pauseAfter(Bookmarks built) {
        long now = System.nanoTime();
        lastPause = Math.min(backoff * (now - built.setAt()), maxAge.toNanos());
        notBefore = now + lastPause;
    }

    /// Whether these are still used and have to be kept exact.
    synchronized boolean needs(Bookmarks those) {
        return current == those && System.nanoTime() - lastRequest < maxAge.toNanos();
    }

    /// Removes bookmarks that are no longer exact. If they were used for a shorter time than the last pause, the
    /// next one is longer.
    synchronized void drop(Bookmarks those) {
        if (current == those) {
            current = null;
            backoff = System.nanoTime() - usedSince > lastPause ? BACKOFF : Math.min(2 * backoff, MAX_BACKOFF);
        }
    }

    /// Discards all bookmarks after eviction or a change of the index.
    synchronized void discard() {
        discarded = true;
        current = null;
    }
}
