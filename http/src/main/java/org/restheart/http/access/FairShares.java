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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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

    /// How often a waiting thread looks whether anybody still wants the places.
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /// The part of all places that a caller may take although others of its own requests wait for more, and that does
    /// not keep anybody from being alone: a request may hold a little besides, for another part of its work.
    private static final int FEW_AT_ONCE = 256;

    private final int size;

    /// Places besides, of which only what is under way takes some.
    private final int reserve;

    private final boolean ofAddresses;
    private final int forNewcomers;
    private final ReentrantLock lock = new ReentrantLock();

    /// Guarded by the lock, like all below.
    private final Map<String, Integer> held = new HashMap<>();

    private final LinkedHashMap<String, Queue<Waiter>> waiting = new LinkedHashMap<>();

    /// Those whose work is under way, served before all others.
    private final Queue<Waiter> underWay = new ArrayDeque<>();

    private int used;

    /// The sum for callers with an account, and for all others but the server.
    private int heldByAccounts;

    private int heldByOthers;

    /// How places are taken.
    public enum Policy {
        /// Within the caller's share.
        SHARE,

        /// The same, but some are left to newcomers by all callers, and each may hold a number in any case.
        IN_PIECES,

        /// Of all that are free, beyond the caller's share: for what is under way and would be lost.
        UNDER_WAY,

        /// Whether or not they are free: for what exists already. Others find fewer.
        EXISTING
    }

    /// What is asked for.
    ///
    /// @param sharers at least one, distinct; the places count for one of them, see [#tryTake(Want)]
    /// @param mine places that one sharer holds already for the same thing
    /// @param least may be held for it while hardly anything else is held, even if there are not as many
    ///     places, or, in pieces, as long as a quarter of all stays free: for what cannot be done with fewer
    public record Want(List<String> sharers, int places, Policy policy, int mine, int least) {
        public Want(List<String> sharers, int places, Policy policy) {
            this(sharers, places, policy, 0, 0);
        }
    }

    /// For how long places are waited for.
    ///
    /// @param most that wait for one caller; a further one waits for nothing
    /// @param gone whether nobody wants the places any more, asked a few times a second
    public record Patience(long nanos, int most, BooleanSupplier gone) {
        public Patience(long nanos) {
            this(nanos, Integer.MAX_VALUE, () -> false);
        }
    }

    private static final class Waiter {
        private final Condition changed;
        private final Want want;
        private @Nullable String payer;

        Waiter(Condition changed, Want want) {
            this.changed = changed;
            this.want = want;
        }
    }

    /// @param size the number of places, besides those that [CallerScope#SERVER] may need
    public FairShares(int size) {
        this(size, 0, false);
    }

    /// @param reserve places besides, for what is under way
    public FairShares(int size, int reserve) {
        this(size, reserve, false);
    }

    private FairShares(int size, int reserve, boolean ofAddresses) {
        this.size = size;
        this.reserve = reserve;
        this.ofAddresses = ofAddresses;
        this.forNewcomers = part(size, FOR_NEWCOMERS);
    }

    /// For callers that have not been authenticated: none is left to accounts.
    public static FairShares ofAddresses(int size) {
        return new FairShares(size, 0, true);
    }

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
    public boolean tryTake(String caller, int places) {
        return tryTake(new Want(List.of(caller), places, Policy.SHARE)).isPresent();
    }

    /// As [#tryTake(String, int)], but a caller may hold a number of places in any case as long as a quarter of all
    /// stays free: for what cannot be done with fewer. All callers, also those with an account, leave
    /// [#FOR_NEWCOMERS] to those that hold [#FEW] at most: for what is taken in pieces. Never blocks.
    public boolean tryTake(String caller, int places, int least) {
        return tryTake(new Want(List.of(caller), places, Policy.IN_PIECES, 0, least))
                .isPresent();
    }

    /// Takes several places for what several callers have asked for, all or none. They count for one of them
    /// (the payer): of those who may take so many, the one that holds fewest. Nobody is charged more than it has
    /// asked for, and none is refused because another one holds its share: as long as one of them may take places,
    /// it would have taken them alone for the same work. Never blocks.
    ///
    /// @return the payer, for whom [#release(String, int)] has to give the places back; empty if no sharer may
    ///     take so many
    public Optional<String> tryTake(Want want) {
        lock.lock();
        try {
            var payer = payer(want);
            payer.ifPresent(caller -> book(caller, want.places));
            return payer;
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

    /// Counts places that one caller holds for another one from now on, whatever that one holds already: for
    /// something that both use, and that the first one has left. Never blocks.
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

    /// Takes a place; waits until the caller may have another one.
    ///
    /// @return false if there was no place in this time
    public boolean take(String caller, long nanos) throws InterruptedException {
        return take(List.of(caller), nanos).isPresent();
    }

    /// Takes a place for what several callers have asked for, as [#tryTake(Want)]; waits until one of them
    /// may have another one.
    public Optional<String> take(List<String> sharers, long nanos) throws InterruptedException {
        var want = new Want(sharers, 1, Policy.SHARE);
        var payer = tryTake(want);
        if (payer.isPresent()) {
            return payer;
        }
        CallerScope.waits();
        return take(want, new Patience(nanos));
    }

    /// Takes places, all or none; waits for them. Callers that wait are served in turn, the requests of each
    /// in their order.
    ///
    /// @return the payer; empty if there were none in this time, or too many wait already
    public Optional<String> take(Want want, Patience patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var payer = payer(want);
            if (payer.isPresent()) {
                book(payer.get(), want.places);
                return payer;
            }
            if (want.places > most(want)) {
                return Optional.empty();
            }
            var queues = queues(want);
            if (queues.stream().allMatch(queue -> queue.size() >= patience.most)) {
                return Optional.empty();
            }
            var waiter = new Waiter(lock.newCondition(), want);
            queues.forEach(queue -> queue.add(waiter));
            grant();
            await(waiter, patience);
            return Optional.ofNullable(waiter.payer);
        } finally {
            lock.unlock();
        }
    }

    private List<Queue<Waiter>> queues(Want want) {
        return want.policy == Policy.UNDER_WAY
                ? List.of(underWay)
                : want.sharers.stream()
                        .map(each -> waiting.computeIfAbsent(each, _ -> new ArrayDeque<>()))
                        .toList();
    }

    /// Places that can be had if nobody else holds any.
    private long most(Want want) {
        return Math.max(size + (long) (want.policy == Policy.UNDER_WAY ? reserve : 0), want.least) - want.mine;
    }

    private void await(Waiter waiter, Patience patience) throws InterruptedException {
        try {
            long end = System.nanoTime() + patience.nanos;
            for (long left = patience.nanos; left > 0 && waiter.payer == null; left = end - System.nanoTime()) {
                var _ = waiter.changed.awaitNanos(Math.min(left, LOOK_NANOS));
                if (waiter.payer == null && patience.gone.getAsBoolean()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            if (waiter.payer != null) {
                unbook(waiter.payer, waiter.want.places);
            }
            throw e;
        } finally {
            forget(waiter);
            grant(); // those behind it
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

    private Optional<String> payer(Want want) {
        String payer = null;
        for (var each : want.sharers) {
            if (each.equals(CallerScope.SERVER)) {
                return Optional.of(each);
            }
            boolean isCheaper = payer == null || heldBy(each) < heldBy(payer);
            boolean isFirst = want.policy != Policy.SHARE
                    || want.mine > 0
                    || want.places <= size / FEW_AT_ONCE
                    || !waiting.containsKey(each);
            if (isCheaper && isFirst && mayTake(each, want)) {
                payer = each;
            }
        }
        return Optional.ofNullable(payer);
    }

    private boolean mayTake(String caller, Want want) {
        return switch (want.policy) {
            case SHARE ->
                mayTake(caller, want.places)
                        || (used - want.mine <= size / FEW_AT_ONCE && want.mine + (long) want.places <= want.least)
                        || isLeftByOne(caller, want.places);
            case IN_PIECES -> mayTakeInPieces(caller, want);
            case UNDER_WAY -> want.places <= size + reserve - used;
            case EXISTING -> true;
        };
    }

    /// Beside one caller that holds nearly all, or more than there is ([Want#least], [Policy#EXISTING]), the others may
    /// hold [#FOR_NEWCOMERS] together all the same, each a quarter of it: that one may keep it for minutes.
    /// Only where there is a reserve: elsewhere the size is a bound.
    private boolean isLeftByOne(String caller, int places) {
        if (reserve == 0 || heldBy(caller) + (long) places > forNewcomers / 4 || held.size() > FEW_AT_ONCE) {
            return false;
        }
        boolean leaves = !ofAddresses && !CallerScope.hasAccount(caller);
        long others = forNewcomers - (leaves ? part(forNewcomers, FOR_ACCOUNTS) : 0) - (long) places;
        return held.values().stream().anyMatch(most -> (long) used - most <= others);
    }

    private boolean mayTakeInPieces(String caller, Want want) {
        int free = free(caller);
        long held = (long) heldBy(caller) + want.places;
        return (held <= Math.clamp(forNewcomers / SMALL_NEWCOMERS, 1, FEW) && want.places <= free)
                || (want.places <= free - forNewcomers
                        && (mayTake(caller, want.places) || (held <= want.least && want.places <= free - size / 4)));
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
        underWay.remove(waiter);
        for (var sharer : waiter.want.sharers) {
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

    /// Gives free places to those that wait: first to what is under way, then to each caller in turn, first
    /// to those of the kind that has fewer.
    private void grant() {
        for (var next = underWay.peek(); next != null; next = underWay.peek()) {
            var payer = next.payer == null ? payer(next.want) : Optional.<String>empty();
            if (payer.isEmpty()) {
                break;
            }
            grant(next, payer.get());
            underWay.remove();
        }
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
            if (waiter.payer == null && CallerScope.hasAccount(caller) == toAccounts && mayTake(caller, waiter.want)) {
                grant(waiter, caller);
                granted.add(waiter);
            }
        });
    }

    private void grant(Waiter waiter, String payer) {
        book(payer, waiter.want.places);
        waiter.payer = payer;
        waiter.changed.signal();
    }
}
