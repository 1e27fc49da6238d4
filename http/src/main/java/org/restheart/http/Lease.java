package org.restheart.http;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairShares.Policy;
import org.restheart.http.access.FairShares.Want;

/// The memory that a request owns, of its caller's share of a [MemoryBudget]: taken by an estimate before the command
/// is sent whose reply needs it, corrected when the reply is there, given back when the request has ended, and so have
/// all that work for it. The content of a response cannot be made without one. Thread-safe.
///
/// Several leases may hold what they share through one that they join: it is counted once in total, and fully for each
/// caller.
public final class Lease implements AutoCloseable {
    /// Of content that the process has anyway, such as its own files.
    public static final Lease CONSTANT = new Lease(null, List::of, () -> true, () -> false, Long.MAX_VALUE);

    /// The most bytes of content that nobody owns: requests in progress have a limit.
    public static final int SMALL = 64 << 10;

    /// What reading and sending the largest document of MongoDB takes, with its copies.
    static final long LARGEST = 96L << 20;

    static final Lease UNOWNED = new Lease(null, List::of, () -> true, () -> false, SMALL);

    /// How long memory is waited for before a response has begun.
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int MOST_WAITING = 128;

    /// How long the rest of a response waits for memory: those that hold it are cut before, if their clients
    /// take nothing.
    private static final long CONTINUE_NANOS = TimeUnit.MINUTES.toNanos(10);

    /// The part of all memory that a request may hold while it waits for more: those that wait leave most to others.
    private static final int LITTLE = 512;

    private static final Problem FULL =
            Problem.overloaded("the requests of this client in progress hold its share of the memory");

    private static final LongAdder REFUSED = new LongAdder();

    private final @Nullable MemoryBudget budget;
    private final Supplier<List<String>> callers;

    /// Whether nobody waits for the response any more.
    private final BooleanSupplier gone;

    /// Whether the requests that this works for hold little: who holds memory must not wait for more, since
    /// others may do the same.
    private final BooleanSupplier mayWait;

    private final long most;

    /// Guarded by this, like all below.
    private long held;

    private int taken;

    /// For whom the units count in total; [CallerScope#SERVER] while there are none.
    private String payer = CallerScope.SERVER;

    /// Others that hold the same, by caller.
    private Map<String, Joined> joined = Map.of();

    /// What this holds through others, and for whom; given back with it.
    private Map<Lease, String> shared = Map.of();

    private int users = 1;

    private record Joined(int leases, int units) {}

    Lease(MemoryBudget budget, Supplier<List<String>> callers, BooleanSupplier gone, BooleanSupplier mayWait) {
        this(budget, callers, gone, mayWait, Long.MAX_VALUE);
    }

    private Lease(
            @Nullable MemoryBudget budget,
            Supplier<List<String>> callers,
            BooleanSupplier gone,
            BooleanSupplier mayWait,
            long most) {
        this.budget = budget;
        this.callers = callers;
        this.gone = gone;
        this.mayWait = mayWait;
        this.most = most;
    }

    /// Another lease of the same budget, empty: for work of this request, or a command that others share,
    /// each of which joins it.
    ///
    /// @param sharers at least one, distinct; see [MemoryBudget#open(List)]
    public Lease another(List<String> sharers) {
        return another(sharers, List.of(this));
    }

    /// @param requests that it is for: it waits for memory until all of them have ended, or to the end if
    ///     there are none
    public Lease another(List<String> sharers, List<Lease> requests) {
        if (budget == null) {
            return this;
        }
        var callers = List.copyOf(sharers);
        return new Lease(
                budget,
                () -> callers,
                () -> !requests.isEmpty() && requests.stream().allMatch(Lease::isGone),
                () -> requests.stream().allMatch(Lease::holdsLittle));
    }

    private synchronized boolean holdsLittle() {
        return budget == null || (taken <= budget.units().size() / LITTLE && shared.isEmpty());
    }

    private boolean isGone() {
        boolean isEnded;
        synchronized (this) {
            isEnded = !isOpen();
        }
        return isEnded || gone.getAsBoolean();
    }

    /// The refusal of what a caller may not have now.
    public static ProblemException full() {
        REFUSED.increment();
        return FULL.raise();
    }

    public static long refused() {
        return REFUSED.sum();
    }

    /// Takes more, unless the caller may not have it now. One that is alone may have what the largest document
    /// needs, however small the heap. Never blocks.
    ///
    /// @return false if nothing was taken, also because the request has ended
    public boolean tryHold(long bytes) {
        return tryHold(bytes, Policy.SHARE);
    }

    /// As [#tryHold], but of all that is free, beyond the caller's share: for a response of which a part is
    /// there.
    public boolean tryContinue(long bytes) {
        return tryHold(bytes, Policy.UNDER_WAY);
    }

    private synchronized boolean tryHold(long bytes, Policy policy) {
        if (budget == null) {
            return bytes <= most;
        }
        if (!isOpen()) {
            return false;
        }
        int more = budget.units(held + bytes) - taken;
        if (more > 0 && !take(budget, more, policy)) {
            return false;
        }
        held += bytes;
        return true;
    }

    private boolean take(MemoryBudget budget, int more, Policy policy) {
        var units = budget.units();
        if (policy == Policy.SHARE) {
            for (var want : wants(budget, more)) { // another payer, also if the caller has signed in meanwhile
                var next = units.tryTake(want);
                if (next.isPresent()) {
                    add(units, next.get(), want.places());
                    return true;
                }
            }
            return false;
        }
        boolean isTaken =
                units.tryTake(new Want(List.of(payer()), more, policy)).isPresent();
        if (isTaken) {
            add(units, payer(), more);
        }
        return isTaken;
    }

    private String payer() {
        return taken > 0 ? payer : callers.get().getFirst();
    }

    /// How more may be taken: beside what is held, by who pays for that, or all by another one.
    private List<Want> wants(MemoryBudget budget, int more) {
        var sharers = callers.get();
        int alone = budget.units(LARGEST);
        int joint = joint();
        var all = new Want(sharers, taken + more, Policy.SHARE, taken == 0 ? joint : 0, taken == 0 ? alone : 0);
        return taken > 0 && sharers.contains(payer)
                ? List.of(new Want(List.of(payer), more, Policy.SHARE, taken + joint, alone), all)
                : List.of(all);
    }

    /// Adds what was taken; of another payer it was taken for all.
    private void add(FairShares units, String by, int places) {
        if (taken > 0 && !by.equals(payer)) {
            units.release(payer, taken);
            taken = 0;
        }
        payer = by;
        taken += places;
    }

    /// Takes memory; a request that holds little yet waits for it, in turn with other callers, at most ten
    /// seconds and as long as the client is there. On a thread that may block.
    ///
    /// @throws ProblemException 503 if the caller could not have it in this time, or too many of its
    ///     requests wait
    public void await(long bytes) {
        if (!tryAwait(bytes) && (mayWait() || !tryContinue(bytes))) {
            throw full();
        }
    }

    /// As [#await(long)], but never takes more than the caller's share.
    ///
    /// @return false if nothing was taken
    public boolean tryAwait(long bytes) {
        return tryHold(bytes)
                || (mayWait() && waited(bytes, Policy.SHARE, new Patience(WAIT_NANOS, MOST_WAITING, this::isGone)));
    }

    private boolean mayWait() {
        return holdsLittle() && mayWait.getAsBoolean();
    }

    /// As [#tryContinue], but waits as long as the client is there.
    ///
    /// @throws CancellationException if it has gone
    /// @throws IllegalStateException if there was nothing for ten minutes
    public void awaitContinue(long bytes) {
        if (!tryContinue(bytes)
                && !waited(bytes, Policy.UNDER_WAY, new Patience(CONTINUE_NANOS, Integer.MAX_VALUE, this::isGone))) {
            if (isGone() || Thread.currentThread().isInterrupted()) {
                throw new CancellationException("the client has gone while its response waited for memory");
            }
            throw new IllegalStateException("there is no memory for the rest of a response that is sent already");
        }
    }

    private boolean waited(long bytes, Policy policy, Patience patience) {
        Want want;
        synchronized (this) {
            if (budget == null || !isOpen()) {
                return false;
            }
            int more = budget.units(held + bytes) - taken;
            want = policy == Policy.SHARE ? wants(budget, more).getFirst() : new Want(List.of(payer()), more, policy);
        }
        try {
            var next = budget.units().take(want, patience);
            return next.isPresent() && isAdded(budget, next.get(), want.places(), bytes);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Adds what was waited for, without the lock: others may have changed what is held.
    private synchronized boolean isAdded(MemoryBudget budget, String by, int places, long bytes) {
        if (!isOpen()) {
            budget.units().release(by, places);
            return false;
        }
        add(budget.units(), by, places);
        held += bytes;
        settle(budget);
        return true;
    }

    /// @throws ProblemException 503 if the caller may not have it now
    public void hold(long bytes) {
        if (!tryHold(bytes)) {
            throw full();
        }
    }

    /// As [#hold], but beyond the caller's share if need be: for a response that is nearly there, and would be lost.
    public void extend(long bytes) {
        if (!tryHold(bytes) && !tryContinue(bytes)) {
            throw full();
        }
    }

    /// As [#extend], but waits a while: for a response that is sent in part, and would be cut. On a thread that may
    /// block.
    public void awaitExtension(long bytes) {
        if (!tryHold(bytes)
                && !tryContinue(bytes)
                && !waited(bytes, Policy.UNDER_WAY, new Patience(WAIT_NANOS, Integer.MAX_VALUE, this::isGone))) {
            throw full();
        }
    }

    /// Whether this would hold more with it than a caller can have at most ([MemoryBudget#share()]), so that trying
    /// again is of no use.
    public synchronized boolean isBeyondShare(long more) {
        if (budget == null) {
            return false;
        }
        return budget.units(held + more) + joint() > budget.units(budget.share());
    }

    private int joint() {
        return shared.keySet().stream().mapToInt(Lease::taken).sum();
    }

    private synchronized int taken() {
        return taken;
    }

    /// Holds at least as much as content that is made.
    public void cover(long bytes) {
        if (budget == null && bytes > most) {
            throw new IllegalStateException("content of " + bytes + " bytes that nobody owns");
        }
        long missing = bytes - held();
        if (budget != null && missing > 0) {
            hold(missing);
        }
    }

    /// Who owns what is made of content of this lease: what is made of content that nobody owns is small, too.
    Lease ofDerived() {
        return budget == null ? CONSTANT : this;
    }

    private boolean isOpen() {
        return users > 0 || !joined.isEmpty();
    }

    private synchronized long held() {
        return shared.isEmpty()
                ? held
                : held + shared.keySet().stream().mapToLong(Lease::held).sum();
    }

    /// Replaces an estimate by what is there now, whether or not the caller may have it: it exists.
    public synchronized void correct(long estimated, long actual) {
        if (budget != null && isOpen()) {
            held += actual - estimated;
            settle(budget);
        }
    }

    private void settle(MemoryBudget budget) {
        int more = budget.units(held) - taken;
        if (more > 0) {
            var _ = take(budget, more, Policy.EXISTING);
        } else if (more < 0) {
            budget.units().release(payer, -more);
            taken += more;
        }
    }

    /// Holds what another lease holds, as long as this one is open.
    ///
    /// @return false if the caller may not have as much now, or the request has ended
    public synchronized boolean tryJoin(Lease other) {
        if (budget == null || other.budget == null || other == this) {
            return true;
        }
        var caller = callers.get().getFirst();
        if (users == 0 || (!shared.containsKey(other) && !other.tryAdd(caller))) {
            return false;
        }
        shared = shared.isEmpty() ? new IdentityHashMap<>(1) : shared;
        shared.put(other, caller);
        return true;
    }

    private synchronized boolean tryAdd(String caller) {
        if (budget == null || !isOpen()) {
            return false;
        }
        var present = joined.get(caller);
        boolean isCounted = present != null || taken == 0 || caller.equals(payer);
        if (!isCounted && !budget.units().tryJoin(caller, taken)) {
            return false;
        }
        joined = joined.isEmpty() ? new HashMap<>(2) : joined;
        int leases = present == null ? 1 : present.leases + 1;
        joined.put(caller, new Joined(leases, present == null ? isCounted ? 0 : taken : present.units));
        return true;
    }

    private synchronized void leave(String caller) {
        var mine = joined.get(caller);
        if (budget == null || mine == null) {
            return;
        }
        if (mine.leases > 1) {
            joined.put(caller, new Joined(mine.leases - 1, mine.units));
            return;
        }
        joined.remove(caller);
        if (mine.units > 0) {
            budget.units().leave(caller, mine.units);
        }
        if (users == 0) {
            handOver(budget);
        }
    }

    /// Lets one of those that have joined pay, of the same caller if there is one, or nobody.
    private void handOver(MemoryBudget budget) {
        var units = budget.units();
        if (taken == 0 || joined.containsKey(payer)) {
            return;
        }
        if (joined.isEmpty()) {
            units.release(payer, taken);
            taken = 0;
            return;
        }
        var next = joined.entrySet().iterator().next();
        int counted = next.getValue().units;
        units.pass(payer, next.getKey(), taken - counted);
        if (counted > 0) {
            units.leave(payer, counted);
        }
        next.setValue(new Joined(next.getValue().leases, 0));
        payer = next.getKey();
    }

    /// Keeps what is held until another [#close()]: for a thread or a command that works for the request, and may end
    /// after it.
    public synchronized boolean tryRetain() {
        boolean isKept = budget == null || isOpen();
        users += isKept && budget != null ? 1 : 0;
        return isKept;
    }

    /// Gives all back once each user has closed it; others that have joined keep it.
    @Override
    public void close() {
        Map<Lease, String> left;
        synchronized (this) {
            if (budget == null || users == 0 || --users > 0) {
                return;
            }
            handOver(budget);
            left = shared;
            shared = Map.of();
        }
        left.forEach(Lease::leave);
    }
}
