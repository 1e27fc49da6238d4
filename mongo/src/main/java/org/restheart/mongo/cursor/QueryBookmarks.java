package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The bookmarks of the queries with one key, and when they are to be set anew. Thread-safe.
final class QueryBookmarks<B extends Bookmarks> {
    /// At most a tenth of the time goes into setting bookmarks that writes undo.
    private static final int REST = 10;

    /// The rest after a build, in durations of the build, that repeated undoing can lead to.
    private static final int LONGEST_REST = 10_000;

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
    private int rest = REST;

    @GuardedBy("this")
    private long lastRest;

    @GuardedBy("this")
    private long usedSince;

    @GuardedBy("this")
    private @Nullable B current;

    QueryBookmarks(Duration maxAge) {
        this.maxAge = maxAge;
    }

    synchronized Optional<B> bookmarks() {
        return Optional.ofNullable(current).filter(those -> those.isUsable(maxAge));
    }

    /// Whether the caller is to set bookmarks now, and then to call one of the following methods. A query that is asked
    /// once is not worth it.
    boolean startBuild() {
        lastRequest = System.nanoTime();
        if (requests.incrementAndGet() < 2) {
            return false;
        }
        synchronized (this) {
            boolean fresh = bookmarks().filter(those -> those.isFresh(maxAge)).isPresent();
            if (fresh || building || discarded || System.nanoTime() - notBefore < 0) {
                return false;
            }
            building = true;
            return true;
        }
    }

    /// The build has not begun; a later request tries again.
    synchronized void postpone() {
        building = false;
    }

    /// Bookmarks cannot be set: nothing is tried again for a while. Those that there are stay in use.
    synchronized void fail() {
        building = false;
        unfit = true;
        notBefore = System.nanoTime() + maxAge.toNanos();
    }

    /// Whether it has turned out that bookmarks cannot serve the queries.
    synchronized boolean isUnfit() {
        return unfit;
    }

    /// Lets requests use bookmarks of which not all are set yet, if there are no others.
    synchronized void useIncomplete(B fresh) {
        if (bookmarks().isEmpty() && !discarded) {
            current = fresh;
        }
    }

    synchronized void use(B fresh) {
        building = false;
        unfit = false;
        usedSince = System.nanoTime();
        current = discarded ? null : fresh;
    }

    /// As [#use]; the next build waits, so that most of the time goes into other work.
    synchronized void useAndRest(B fresh) {
        use(fresh);
        restAfter(fresh);
    }

    /// A change has undone them before they were of use: the next build waits longer.
    synchronized void undone(B those) {
        building = false;
        rest = Math.min(2 * rest, LONGEST_REST);
        restAfter(those);
    }

    @GuardedBy("this")
    private void restAfter(B built) {
        long now = System.nanoTime();
        lastRest = Math.min(rest * (now - built.setAt()), maxAge.toNanos());
        notBefore = now + lastRest;
    }

    /// Whether it is still worth it to keep these exact.
    synchronized boolean needs(B those) {
        return current == those && System.nanoTime() - lastRequest < maxAge.toNanos();
    }

    /// They are not kept exact any more. If they served for a shorter time than the last rest, the next one is longer.
    synchronized void drop(B those) {
        if (current == those) {
            current = null;
            rest = System.nanoTime() - usedSince > lastRest ? REST : Math.min(2 * rest, LONGEST_REST);
        }
    }

    /// Evicted, or the index has changed: nothing more is set here.
    synchronized void discard() {
        discarded = true;
        current = null;
    }
}
