package org.restheart.mongo.schema;

import com.networknt.schema.SchemaException;
import java.util.function.Supplier;

/// What one evaluation may still cost, however many texts and patterns it is about, and how many keywords are
/// applied. Confined to one thread.
final class EvaluationBudget {
    /// A few seconds of a processor.
    private static final long MAX = 200_000_000;

    private static final long TURN = 1 << 20;

    private static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private long left = MAX;
    private long untilTurn = TURN;

    private EvaluationBudget() {}

    /// Evaluates something within a bound.
    static <T> T within(Supplier<T> evaluation) {
        return ScopedValue.where(CURRENT, new EvaluationBudget()).call(evaluation::get);
    }

    /// The budget of the current evaluation; outside of an evaluation, a new one.
    static EvaluationBudget current() {
        return CURRENT.isBound() ? CURRENT.get() : new EvaluationBudget();
    }

    /// Takes steps of the work that is to be done.
    ///
    /// @throws BudgetExceededException beyond the bound
    @SuppressWarnings("ThreadPriorityCheck") // virtual threads are not preempted
    void spend(long steps) {
        left -= steps;
        if (left < 0) {
            throw new BudgetExceededException();
        }
        untilTurn -= steps;
        if (untilTurn < 0) {
            untilTurn = TURN;
            Thread.yield();
        }
    }

    /// Ends an evaluation that costs too much. The library logs other exceptions of patterns as errors, and clients
    /// could fill the log.
    static final class BudgetExceededException extends SchemaException {
        private static final long serialVersionUID = 1;

        BudgetExceededException() {
            super("too expensive");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
