package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What is remembered of the exact queries of one shape. Thread-safe.
final class ExactTraversal {
    /// Of the time goes into setting bookmarks, at most, while writes undo them again and again.
    private static final int TENTH = 10;

    private final Duration maxAge;
    private final AtomicInteger asked = new AtomicInteger();

    private volatile long lastAsked = System.nanoTime();
    private volatile boolean forgotten;

    private boolean building; // guarded by this
    private long notBefore = System.nanoTime(); // guarded by this
    private @Nullable LiveBookmarks live; // guarded by this

    ExactTraversal(Duration maxAge) {
        this.maxAge = maxAge;
    }

    synchronized Optional<LiveBookmarks> bookmarks() {
        return Optional.ofNullable(live);
    }

    /// Whether the caller is to set bookmarks now, and then to call [#use] or [#failed].
    boolean startBuild() {
        lastAsked = System.nanoTime();
        if (asked.incrementAndGet() < 2) {
            return false;
        }
        synchronized (this) {
            long now = System.nanoTime();
            var current = live;
            boolean fresh = current != null
                    && now - current.setAt() < maxAge.dividedBy(2).toNanos();
            if (fresh || building || forgotten || now - notBefore < 0) {
                return false;
            }
            building = true;
            return true;
        }
    }

    synchronized void notNow() {
        building = false;
    }

    /// Nothing is tried again for a while.
    synchronized void failed() {
        building = false;
        notBefore = System.nanoTime() + maxAge.toNanos();
    }

    synchronized void use(LiveBookmarks fresh) {
        building = false;
        postpone(fresh);
        live = forgotten ? null : fresh;
    }

    /// Whether it is still worth it to keep these true.
    synchronized boolean needs(LiveBookmarks those) {
        return live == those && System.nanoTime() - lastAsked < maxAge.toNanos();
    }

    /// They are not kept true any more.
    synchronized void drop(LiveBookmarks those) {
        if (live == those) {
            live = null;
        }
    }

    /// They were undone before they were of use: the next attempt waits its time.
    synchronized void undone(LiveBookmarks those) {
        building = false;
        postpone(those);
    }

    private void postpone(LiveBookmarks those) {
        long now = System.nanoTime();
        notBefore = now + TENTH * (now - those.setAt());
    }

    /// For others' sake.
    synchronized void forget() {
        forgotten = true;
        live = null;
    }
}
