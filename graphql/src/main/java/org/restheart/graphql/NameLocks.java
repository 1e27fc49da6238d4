package org.restheart.graphql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Locks for requests that must not overlap if they have a name in common. A request locks its names together or waits
/// without any of them, so that one that waits does not delay others; those that wait for a name are served
/// in sequence. Thread-safe.
///
/// @param <T> of names
final class NameLocks<T> {
    private final Set<T> locked = new HashSet<>();
    private final List<Waiting<T>> queue = new ArrayList<>();

    private record Waiting<T>(Set<T> names, CountDownLatch done) {}

    /// Blocks until all names are locked, at most for a time.
    ///
    /// @param names none of which the request has locked already
    /// @return false if they could not be locked
    boolean lock(Set<T> names, Duration longest) {
        var waiting = new Waiting<>(Set.copyOf(names), new CountDownLatch(1));
        synchronized (this) {
            if (tryLock(waiting)) {
                return true;
            }
            queue.add(waiting);
        }
        try {
            var _ = waiting.done.await(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return !queue.remove(waiting); // may have been locked at the last moment
        }
    }

    synchronized void unlock(Collection<T> names) {
        names.forEach(locked::remove);
        queue.removeIf(this::tryLock);
    }

    private boolean tryLock(Waiting<T> waiting) {
        if (!Collections.disjoint(waiting.names, locked)) {
            return false;
        }
        locked.addAll(waiting.names);
        waiting.done.countDown();
        return true;
    }
}
