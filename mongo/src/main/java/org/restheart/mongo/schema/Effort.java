package org.restheart.mongo.schema;

import java.util.function.Supplier;

/// What one evaluation may still cost, however many texts and patterns it is about, and how many keywords are
/// applied. Confined to one thread.
final class Effort {
    /// A few seconds of a processor.
    private static final long MAX = 200_000_000;

    private static final long TURN = 1 << 20;

    private static final ScopedValue<Effort> CURRENT = ScopedValue.newInstance();

    private long left = MAX;
    private long untilTurn = TURN;

    private Effort() {}

    /// Evaluates something within a bound.
    static <T> T within(Supplier<T> evaluation) {
        return ScopedValue.where(CURRENT, new Effort()).call(evaluation::get);
    }

    /// The effort of the current evaluation; outside of an evaluation, a new one.
    static Effort current() {
        return CURRENT.isBound() ? CURRENT.get() : new Effort();
    }

    /// Takes steps of the work that is to be done.
    ///
    /// @throws OutOfEffort beyond the bound
    @SuppressWarnings("ThreadPriorityCheck") // virtual threads are not preempted
    void spend(long steps) {
        left -= steps;
        if (left < 0) {
            throw new OutOfEffort();
        }
        untilTurn -= steps;
        if (untilTurn < 0) {
            untilTurn = TURN;
            Thread.yield();
        }
    }
}
