package org.restheart.http;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;

/// The memory that a request owns, of its caller's share of a [MemoryBudget]: taken by an estimate before the command
/// is sent whose reply needs it, corrected when the reply is there, given back when the request has ended, and so have
/// all that work for it. The content of a response cannot be made without one. Thread-safe.
///
/// Several leases may hold what they share through one that they join: it is counted once in total, and fully for each
/// caller.
public final class Lease implements AutoCloseable {
    /// Of content that the process has anyway, such as its own files.
    public static final Lease CONSTANT = new Lease(null, List::of, Long.MAX_VALUE);

    /// The most bytes of content that nobody owns: requests in progress have a limit.
    public static final int SMALL = 64 << 10;

    /// What reading and sending the largest document of MongoDB takes, with its copies.
    static final long LARGEST = 96L << 20;

    static final Lease UNOWNED = new Lease(null, List::of, SMALL);

    private static final Problem FULL =
            Problem.overloaded("the requests of this client in progress hold its share of the memory");

    private final @Nullable MemoryBudget budget;
    private final Supplier<List<String>> callers;
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

    /// @param units that are counted for the caller
    private record Joined(int leases, int units) {}

    Lease(MemoryBudget budget, Supplier<List<String>> callers) {
        this(budget, callers, Long.MAX_VALUE);
    }

    private Lease(@Nullable MemoryBudget budget, Supplier<List<String>> callers, long most) {
        this.budget = budget;
        this.callers = callers;
        this.most = most;
    }

    /// Another lease of the same budget, empty: for a command that several requests share, each of which joins it.
    ///
    /// @param sharers at least one, distinct; see [MemoryBudget#open(List)]
    public Lease another(List<String> sharers) {
        return budget == null ? this : budget.open(sharers);
    }

    /// The refusal of what a caller may not have now.
    public static ProblemException full() {
        return FULL.raise();
    }

    /// Takes more, unless the caller may not have it now. One that is alone may have what the largest document
    /// needs, however small the heap. Never blocks.
    ///
    /// @return false if nothing was taken, also because the request has ended
    public boolean tryHold(long bytes) {
        return tryHold(bytes, false);
    }

    /// As [#tryHold], but of all that is free, beyond the caller's share: for a response of which a part is sent.
    public boolean tryContinue(long bytes) {
        return tryHold(bytes, true);
    }

    private synchronized boolean tryHold(long bytes, boolean isUnderWay) {
        if (budget == null) {
            return bytes <= most;
        }
        if (!isOpen()) {
            return false;
        }
        int more = budget.units(held + bytes) - taken;
        if (more > 0 && !take(budget, more) && !(isUnderWay && takeFree(budget, more))) {
            return false;
        }
        held += bytes;
        return true;
    }

    private boolean take(MemoryBudget budget, int more) {
        var sharers = callers.get();
        var units = budget.units();
        boolean sameCaller = taken > 0 && sharers.contains(payer);
        if (sameCaller
                && (units.tryTake(payer, more) || units.tryTakeAlone(payer, taken, more, budget.units(LARGEST)))) {
            taken += more;
            return true;
        }
        if (taken == 0 && units.tryTakeAlone(sharers.getFirst(), 0, more, budget.units(LARGEST))) {
            payer = sharers.getFirst();
            taken = more;
            return true;
        }
        var next = units.tryTake(sharers, taken + more); // also if the caller has signed in meanwhile
        if (next.isEmpty()) {
            return false;
        }
        if (taken > 0) {
            units.release(payer, taken);
        }
        payer = next.get();
        taken += more;
        return true;
    }

    private boolean takeFree(MemoryBudget budget, int more) {
        payer = taken > 0 ? payer : callers.get().getFirst();
        boolean isTaken = budget.units().tryTakeFree(payer, more);
        taken += isTaken ? more : 0;
        return isTaken;
    }

    /// Takes more.
    ///
    /// @throws ProblemException 503 if the caller may not have it now
    public void hold(long bytes) {
        if (!tryHold(bytes)) {
            throw full();
        }
    }

    /// Holds at least as much as content that is made.
    ///
    /// @throws ProblemException 503 if the caller may not have it now
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
        if (budget == null || !isOpen()) {
            return;
        }
        held += actual - estimated;
        int more = budget.units(held) - taken;
        if (more > 0) {
            payer = taken > 0 ? payer : callers.get().getFirst();
            budget.units().charge(payer, more);
        } else if (more < 0) {
            budget.units().release(payer, -more);
        }
        taken += more;
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
    ///
    /// @return false if the request has ended already
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
