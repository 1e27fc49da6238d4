package org.restheart.http.access;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A semaphore whose permits ("places") callers share such that no caller takes all: a caller may take another
/// place while it holds fewer than are free. One caller alone gets half of the places, two get a third each, and
/// some are always free for the next caller. Waiting callers are served in turn. Thread-safe.
///
/// These are the dynamic thresholds of Choudhury and Hahne (1998) for buffers that queues share. Without them, one
/// caller whose requests wait for each other, for example for a document that it has locked, would block all
/// others.
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

    /// @param size the number of places
    /// @param reserve how many of them only [CallerScope#SERVER] may take
    public FairShares(int size, int reserve) {
        this.size = size;
        this.reserve = reserve;
    }

    /// Takes a place if the caller may have another one now. Never blocks.
    ///
    /// @param caller [CallerScope#SERVER] is never refused
    /// @return whether a place was taken, which [#release(String)] has to give back
    public boolean tryTake(String caller) {
        return tryTake(caller, 1);
    }

    /// Takes several places, all or none. A caller that holds none may take all free places; any other caller
    /// as many as it could take one by one. Never blocks.
    ///
    /// @param caller [CallerScope#SERVER] is never refused
    /// @return whether the places were taken
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

    /// Takes a place; waits until the caller may have another one.
    ///
    /// @param nanos the longest wait, in nanoseconds
    /// @return false if there was no place in this time
    /// @throws InterruptedException if the thread is interrupted while it waits; no place is taken then
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

    /// A caller that holds places may take more if it could still take the last one of them alone.
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

    /// Gives free places to waiting callers, one place to each in turn.
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
