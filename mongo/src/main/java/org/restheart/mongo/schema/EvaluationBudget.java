package org.restheart.mongo.schema;

import com.networknt.schema.SchemaException;
import java.util.function.Supplier;

/// What the evaluations of one request may still cost, however many documents, texts and patterns they are about, and
/// how many keywords are applied. Each document adds to it what documents of its size usually cost: a request may have
/// any number of them. Used by one thread at a time.
final class EvaluationBudget {
    /// A few seconds of a processor.
    private static final long MAX = 200_000_000;

    private static final long TURN = 1 << 20;

    /// What documents usually cost, with room to spare.
    private static final long USUAL = 100_000;

    private static final long USUAL_OF_CHARACTER = 100;

    private static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private long left = MAX;
    private long untilTurn = TURN;

    /// Evaluates something within the bound.
    ///
    /// @param length of the document
    <T> T within(int length, Supplier<T> evaluation) {
        left = Math.min(MAX, Math.max(0, left) + USUAL + USUAL_OF_CHARACTER * length);
        return ScopedValue.where(CURRENT, this).call(evaluation::get);
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
