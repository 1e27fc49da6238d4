package org.restheart.http.access;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A number of places that callers share such that none of them takes all: a caller may take another place as long as
/// it holds fewer than are free. One caller alone gets half of the places, two get a third each, and some are always
/// free for the next. Callers that wait take turns. Thread-safe.
///
/// That is the rule of dynamic thresholds for buffers that queues share (Choudhury and Hahne, 1998). Without it, one
/// caller whose requests wait for each other, as for a document that it has locked, would stop all others.
public final class FairShares {
    private final int size;
    private final int reserve;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock, like all below.
    private final Map<String, Integer> held = new HashMap<>();

    private final LinkedHashMap<String, Queue<Waiter>> waiting = new LinkedHashMap<>();
    private int used;

    private static final class Waiter {
        private final Condition changed;
        private boolean granted;

        Waiter(Condition changed) {
            this.changed = changed;
        }
    }

    /// @param size places
    /// @param reserve places that only the server itself may take
    public FairShares(int size, int reserve) {
        this.size = size;
        this.reserve = reserve;
    }

    /// Takes a place if the caller may have another one now.
    ///
    /// @param caller [CallerScope#SERVER] always may
    public boolean tryTake(String caller) {
        return tryTake(caller, 1);
    }

    /// Takes several places: all that are free if the caller holds none, otherwise as many as it might take one after
    /// the other.
    ///
    /// @param caller [CallerScope#SERVER] always may
    public boolean tryTake(String caller, int places) {
        lock.lock();
        try {
            if (!caller.equals(CallerScope.SERVER) && (waiting.containsKey(caller) || !mayTake(caller, places))) {
                return false;
            }
            book(caller, places);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Takes a place, when the caller may have another one.
    ///
    /// @param nanos to wait at most
    /// @return false if there was none in this time
    public boolean take(String caller, long nanos) throws InterruptedException {
        if (tryTake(caller)) {
            return true;
        }
        CallerScope.waits();
        lock.lockInterruptibly();
        try {
            var waiter = new Waiter(lock.newCondition());
            waiting.computeIfAbsent(caller, _ -> new ArrayDeque<>()).add(waiter);
            grant();
            try {
                for (long left = nanos; left > 0 && !waiter.granted; ) {
                    left = waiter.changed.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                if (waiter.granted) {
                    unbook(caller, 1);
                }
                throw e;
            } finally {
                if (!waiter.granted) {
                    forget(caller, waiter);
                }
            }
            return waiter.granted;
        } finally {
            lock.unlock();
        }
    }

    /// Gives a place back.
    public void release(String caller) {
        release(caller, 1);
    }

    /// Gives several places back.
    public void release(String caller, int places) {
        lock.lock();
        try {
            unbook(caller, places);
        } finally {
            lock.unlock();
        }
    }

    /// A caller that holds nothing may take all at once; another one, if it may take the last of these places.
    private boolean mayTake(String caller, int places) {
        int mine = held.getOrDefault(caller, 0);
        long free = (long) size - reserve - used;
        return mine == 0 ? places <= free : mine + places - 1L < free - (places - 1L);
    }

    private void book(String caller, int places) {
        used += places;
        held.merge(caller, places, Integer::sum);
    }

    private void unbook(String caller, int places) {
        used -= places;
        held.computeIfPresent(caller, (_, count) -> count == places ? null : count - places);
        grant();
    }

    private void forget(String caller, Waiter waiter) {
        waiting.computeIfPresent(caller, (_, waiters) -> {
            waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
    }

    /// One after the other, one place for each caller at a time.
    private void grant() {
        boolean granted;
        do {
            granted = false;
            for (Iterator<Map.Entry<String, Queue<Waiter>>> all =
                            waiting.entrySet().iterator();
                    all.hasNext(); ) {
                var entry = all.next();
                if (!mayTake(entry.getKey(), 1)) {
                    continue;
                }
                var waiter = entry.getValue().remove();
                if (entry.getValue().isEmpty()) {
                    all.remove();
                }
                book(entry.getKey(), 1);
                waiter.granted = true;
                waiter.changed.signal();
                granted = true;
            }
        } while (granted);
    }
}
