package org.restheart.http.access;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A semaphore whose permits ("places") callers share such that no caller takes all: a caller may take another
/// place while it holds fewer than are free. One caller alone gets half of the places, two get a third each. These
/// are the dynamic thresholds of Choudhury and Hahne (1998) for buffers that queues share. Without them, one caller
/// whose requests wait for each other, for example for a document that it has locked, would block all others.
///
/// Where each holder takes half of what the one before it has left, a dozen of them leave nothing, and one client may
/// have as many addresses, but not as many accounts. So callers without an account leave [#FOR_ACCOUNTS] of the places
/// that accounts have not taken to further accounts, and those of them that hold a place already leave
/// [#FOR_NEWCOMERS] to others: one address alone gets about a third, and of hundreds of places, another one finds one
/// until there are hundreds of addresses. Together they may hold as much, [#FOR_NEWCOMERS] of all, beside any number of
/// accounts, which would otherwise take all that is released. Waiting callers are served in turn, and those with an
/// account and those without in turn. [CallerScope#SERVER] is never refused. Thread-safe.
public final class FairShares {
    /// The divisors of numbers of places, rounded up.
    private static final int FOR_ACCOUNTS = 4;

    private static final int FOR_NEWCOMERS = 16;

    /// Of fewer places none are left to anybody: an address could take none beside an account.
    private static final int MIN_DIVIDED = 4;

    /// Of fewer places an address that holds one leaves none to others without any: it could not take a second one.
    private static final int MIN_LEFT = 8;

    /// What each of many newcomers may hold of what is left to them, so that it suffices for
    /// [#SMALL_NEWCOMERS] at least.
    private static final int FEW = 64;

    private static final int SMALL_NEWCOMERS = 32;

    private final int size;
    private final boolean ofAddresses;
    private final int forNewcomers;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock, like all below.
    private final Map<String, Integer> held = new HashMap<>();

    private final LinkedHashMap<String, Queue<Waiter>> waiting = new LinkedHashMap<>();
    private int used;

    /// The sum for callers with an account, and for all others but the server.
    private int heldByAccounts;

    private int heldByOthers;

    private static final class Waiter {
        private final Condition changed;
        private final List<String> sharers;
        private @Nullable String payer;

        Waiter(Condition changed, List<String> sharers) {
            this.changed = changed;
            this.sharers = sharers;
        }
    }

    /// @param size the number of places, besides those that [CallerScope#SERVER] may need
    public FairShares(int size) {
        this(size, false);
    }

    private FairShares(int size, boolean ofAddresses) {
        this.size = size;
        this.ofAddresses = ofAddresses;
        this.forNewcomers = part(size, FOR_NEWCOMERS);
    }

    /// For callers that have not been authenticated: none is left to accounts.
    public static FairShares ofAddresses(int size) {
        return new FairShares(size, true);
    }

    /// The number of places.
    public int size() {
        return size;
    }

    /// Takes a place if the caller may have another one now. Never blocks.
    ///
    /// @return whether a place was taken, which [#release(String)] has to give back
    public boolean tryTake(String caller) {
        return tryTake(caller, 1);
    }

    /// Takes several places, all or none. A caller that holds none may take all free places; any other caller
    /// as many as it could take one by one. Never blocks.
    ///
    /// @return whether the places were taken
    public boolean tryTake(String caller, int places) {
        return tryTake(List.of(caller), places).isPresent();
    }

    /// As [#tryTake(String, int)], but a caller may hold a number of places in any case as long as a quarter of all
    /// stays free: for what cannot be done with fewer. All callers, also those with an account, leave
    /// [#FOR_NEWCOMERS] to those that hold [#FEW] at most: for what is taken in pieces. Never blocks.
    public boolean tryTake(String caller, int places, int least) {
        lock.lock();
        try {
            long held = (long) heldBy(caller) + places;
            int free = free(caller);
            boolean mayTake = caller.equals(CallerScope.SERVER)
                    || (held <= Math.clamp(forNewcomers / SMALL_NEWCOMERS, 1, FEW) && places <= free)
                    || (places <= free - forNewcomers
                            && (mayTake(caller, places) || (held <= least && places <= free - size / 4)));
            if (mayTake) {
                book(caller, places);
            }
            return mayTake;
        } finally {
            lock.unlock();
        }
    }

    /// Takes several places for what several callers have asked for, all or none. They count for one of them
    /// (the payer): of those who may take so many, the one that holds fewest. Nobody is charged more than it has
    /// asked for, and none is refused because another one holds its share: as long as one of them may take places,
    /// it would have taken them alone for the same work. Never blocks.
    ///
    /// @return the payer, for whom [#release(String, int)] has to give the places back; empty if no sharer may
    ///     take so many
    public Optional<String> tryTake(List<String> sharers, int places) {
        lock.lock();
        try {
            var payer = payer(sharers, places);
            payer.ifPresent(caller -> book(caller, places));
            return payer;
        } finally {
            lock.unlock();
        }
    }

    /// Takes places if no others are taken than these that the caller holds already, even if there are not as many:
    /// for what cannot be done with fewer. Never blocks.
    ///
    /// @param most the most that the caller holds then
    public boolean tryTakeAlone(String caller, int mine, int places, int most) {
        lock.lock();
        try {
            boolean isAlone = used == mine && mine + (long) places <= most;
            if (isAlone) {
                book(caller, places);
            }
            return isAlone;
        } finally {
            lock.unlock();
        }
    }

    /// Takes places if as many are free, beyond the caller's share: for what is under way and would be lost. Never
    /// blocks.
    public boolean tryTakeFree(String caller, int places) {
        lock.lock();
        try {
            boolean isFree = places <= size - used;
            if (isFree) {
                book(caller, places);
            }
            return isFree;
        } finally {
            lock.unlock();
        }
    }

    /// Counts places also for another caller, who holds the same thing now. They are taken once, so that this
    /// leaves no fewer to others, and count for each holder as if it held them alone: for the time after the
    /// others have given them back. Never blocks.
    ///
    /// @return whether the caller may hold so many more; [#leave] or, by the last holder, [#release(String, int)]
    ///     has to give them back
    public boolean tryJoin(String caller, int places) {
        lock.lock();
        try {
            int mine = heldBy(caller);
            boolean joins = caller.equals(CallerScope.SERVER) || mine == 0 || mine + places - 1L < freeForMore(caller);
            if (joins) {
                count(caller, places);
            }
            return joins;
        } finally {
            lock.unlock();
        }
    }

    /// Gives places back that other callers hold, too.
    public void leave(String caller, int places) {
        lock.lock();
        try {
            count(caller, -places);
            grant();
        } finally {
            lock.unlock();
        }
    }

    /// Counts a place that one caller holds for another one from now on, whatever that one holds already: for
    /// something that both use, and that the first one has left. Never blocks.
    public void pass(String from, String to) {
        pass(from, to, 1);
    }

    /// As [#pass(String, String)], for several places.
    ///
    /// @param places less than 0 for those that the second one gives to the first
    public void pass(String from, String to, int places) {
        lock.lock();
        try {
            count(from, -places);
            count(to, places);
            grant();
        } finally {
            lock.unlock();
        }
    }

    /// Takes places for what exists already, whether or not the caller may have them: others find fewer. Never blocks.
    public void charge(String caller, int places) {
        lock.lock();
        try {
            book(caller, places);
        } finally {
            lock.unlock();
        }
    }

    /// Takes a place; waits until the caller may have another one.
    ///
    /// @return false if there was no place in this time
    /// @throws InterruptedException if the thread is interrupted while it waits; no place is taken then
    public boolean take(String caller, long nanos) throws InterruptedException {
        return take(List.of(caller), nanos).isPresent();
    }

    /// Takes a place for what several callers have asked for, as [#tryTake(List, int)]; waits until one of them
    /// may have another one.
    ///
    /// @return the payer; empty if there was no place in this time
    /// @throws InterruptedException if the thread is interrupted while it waits; no place is taken then
    public Optional<String> take(List<String> sharers, long nanos) throws InterruptedException {
        var payer = tryTake(sharers, 1);
        if (payer.isPresent()) {
            return payer;
        }
        CallerScope.waits();
        lock.lockInterruptibly();
        try {
            var waiter = new Waiter(lock.newCondition(), sharers);
            sharers.forEach(each ->
                    waiting.computeIfAbsent(each, _ -> new ArrayDeque<>()).add(waiter));
            grant();
            try {
                for (long left = nanos; left > 0 && waiter.payer == null; ) {
                    left = waiter.changed.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                if (waiter.payer != null) {
                    unbook(waiter.payer, 1);
                }
                throw e;
            } finally {
                forget(waiter);
            }
            return Optional.ofNullable(waiter.payer);
        } finally {
            lock.unlock();
        }
    }

    public void release(String caller) {
        release(caller, 1);
    }

    public void release(String caller, int places) {
        lock.lock();
        try {
            unbook(caller, places);
        } finally {
            lock.unlock();
        }
    }

    private Optional<String> payer(List<String> sharers, int places) {
        String payer = null;
        for (var each : sharers) {
            if (each.equals(CallerScope.SERVER)) {
                return Optional.of(each);
            }
            boolean cheaper = payer == null || heldBy(each) < heldBy(payer);
            if (cheaper && !waiting.containsKey(each) && mayTake(each, places)) {
                payer = each;
            }
        }
        return Optional.ofNullable(payer);
    }

    private int heldBy(String caller) {
        return held.getOrDefault(caller, 0);
    }

    private int part(int places, int divisor) {
        return size < MIN_DIVIDED ? 0 : Math.ceilDiv(places, divisor);
    }

    /// What callers hold together counts as if none of it was held by accounts.
    private int free(String caller) {
        int free = size - used;
        if (ofAddresses || CallerScope.hasAccount(caller)) {
            return free;
        }
        int byOthers = Math.min(heldByOthers, used);
        int left = size - Math.min(heldByAccounts, used - byOthers);
        return Math.min(free, Math.max(left - part(left, FOR_ACCOUNTS), forNewcomers) - byOthers);
    }

    private int freeForMore(String caller) {
        boolean leaves = !CallerScope.hasAccount(caller) && size >= MIN_LEFT;
        return free(caller) - (leaves ? forNewcomers : 0);
    }

    /// A caller that holds places may take more if it could still take the last one of them alone.
    private boolean mayTake(String caller, int places) {
        int mine = heldBy(caller);
        return mine == 0 ? places <= free(caller) : mine + places - 1L < freeForMore(caller) - (places - 1L);
    }

    private void book(String caller, int places) {
        used += places;
        count(caller, places);
    }

    private void unbook(String caller, int places) {
        used -= places;
        count(caller, -places);
        grant();
    }

    /// @param places less than 0 for those that the caller gives back
    private void count(String caller, int places) {
        held.merge(caller, places, (before, more) -> before + more == 0 ? null : before + more);
        if (CallerScope.hasAccount(caller)) {
            heldByAccounts += places;
        } else if (!caller.equals(CallerScope.SERVER)) {
            heldByOthers += places;
        }
    }

    private void forget(Waiter waiter) {
        for (var sharer : waiter.sharers) {
            waiting.computeIfPresent(sharer, (_, waiters) -> {
                waiters.remove(waiter);
                return waiters.isEmpty() ? null : waiters;
            });
        }
    }

    private void served(Waiter waiter) {
        forget(waiter); // in the queues of all its sharers
        var payer = Objects.requireNonNull(waiter.payer);
        var others = waiting.get(payer);
        if (others != null) {
            waiting.putLast(payer, others); // their turn is after that of all callers that wait now
        }
    }

    /// Gives free places to waiting callers, one place to each in turn, first to those of the kind that has fewer.
    private void grant() {
        var granted = new ArrayList<Waiter>();
        do {
            granted.clear();
            boolean accountsFirst = heldByAccounts <= heldByOthers;
            grant(accountsFirst, granted);
            grant(!accountsFirst, granted);
            granted.forEach(this::served);
        } while (!granted.isEmpty());
    }

    private void grant(boolean toAccounts, List<Waiter> granted) {
        waiting.forEach((caller, waiters) -> {
            var waiter = waiters.element();
            if (waiter.payer == null && CallerScope.hasAccount(caller) == toAccounts && mayTake(caller, 1)) {
                book(caller, 1);
                waiter.payer = caller;
                waiter.changed.signal();
                granted.add(waiter);
            }
        });
    }
}
