package org.restheart.graphql;

import graphql.execution.AbortExecutionException;
import graphql.execution.instrumentation.InstrumentationContext;
import graphql.execution.instrumentation.InstrumentationState;
import graphql.execution.instrumentation.SimplePerformantInstrumentation;
import graphql.execution.instrumentation.parameters.InstrumentationCreateStateParameters;
import graphql.execution.instrumentation.parameters.InstrumentationFieldCompleteParameters;
import graphql.execution.instrumentation.parameters.InstrumentationFieldParameters;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// Bounds the values of results while they are built, of all executions together and for each caller: a
/// result is a tree of objects, and what a query of a kilobyte selects from lists within lists can take many
/// gigabytes before anything is written. Thread-safe.
final class ValueBudget extends SimplePerformantInstrumentation {
    /// Bytes of memory of a value, with those that come and go while it is determined.
    private static final int BYTES_OF_VALUE = 128;

    private static final int VALUES_OF_UNIT = 1_024;

    private static final FairShares UNITS = new FairShares(
            (int) Math.clamp(
                    Runtime.getRuntime().maxMemory() / 4 / BYTES_OF_VALUE / VALUES_OF_UNIT, 64, Integer.MAX_VALUE),
            0);

    static final ValueBudget INSTANCE = new ValueBudget();

    private ValueBudget() {}

    /// The values of one execution. Confined to its thread.
    static final class Taken implements InstrumentationState, AutoCloseable {
        private final String caller = CallerScope.current();
        private long values;
        private int units;
        private boolean refused;

        private void count(long more) {
            values += more;
            int needed = (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(values, VALUES_OF_UNIT)) - units;
            if (refused || (needed > 0 && !UNITS.tryTake(caller, needed))) {
                refused = true;
                throw new AbortExecutionException("too many values");
            }
            units += needed;
        }

        /// Whether the result has more values than its caller may have in memory now.
        boolean wasRefused() {
            return refused;
        }

        /// Called when the result is written.
        @Override
        public void close() {
            if (units > 0) {
                UNITS.release(caller, units);
                units = 0;
            }
        }
    }

    @Override
    public InstrumentationState createState(InstrumentationCreateStateParameters parameters) {
        return Execution.of(parameters.getExecutionInput().getGraphQLContext()).values();
    }

    @Override
    public @Nullable InstrumentationContext<Object> beginFieldExecution(
            InstrumentationFieldParameters parameters, @Nullable InstrumentationState taken) {
        ((Taken) Objects.requireNonNull(taken)).count(1);
        return super.beginFieldExecution(parameters, taken);
    }

    @Override
    public @Nullable InstrumentationContext<Object> beginFieldListCompletion(
            InstrumentationFieldCompleteParameters parameters, @Nullable InstrumentationState taken) {
        if (parameters.getFetchedObject() instanceof Collection<?> elements) {
            ((Taken) Objects.requireNonNull(taken)).count(elements.size());
        }
        return super.beginFieldListCompletion(parameters, taken);
    }
}
