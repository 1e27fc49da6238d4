package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What is remembered of the exact queries of one shape. Thread-safe.
final class ExactTraversal {
    /// Of the time goes into setting bookmarks, at most, while writes undo them again and again.
    private static final int TENTH = 10;

    /// The rest after a build, in builds, that writes can make it.
    private static final int MOST = 10_000;

    private final Duration maxAge;
    private final AtomicInteger asked = new AtomicInteger();

    private volatile long lastAsked = System.nanoTime();
    private volatile boolean forgotten;

    private boolean building; // guarded by this
    private long notBefore = System.nanoTime(); // guarded by this
    private int times = TENTH; // guarded by this
    private long lastRest; // guarded by this
    private long usedAt; // guarded by this
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
            boolean fresh = current != null && !current.isWorn();
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
        usedAt = System.nanoTime();
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
            // Who writes all the time is not asked for that much work.
            times = System.nanoTime() - usedAt > lastRest ? TENTH : Math.min(2 * times, MOST);
        }
    }

    /// They were undone before they were of use: the next attempt waits its time.
    synchronized void undone(LiveBookmarks those) {
        building = false;
        times = Math.min(2 * times, MOST);
        postpone(those);
    }

    private void postpone(LiveBookmarks those) {
        long now = System.nanoTime();
        long rest = Math.min(times * (now - those.setAt()), maxAge.toNanos());
        notBefore = now + rest;
        lastRest = rest;
    }

    /// For others' sake.
    synchronized void forget() {
        forgotten = true;
        live = null;
    }
}
