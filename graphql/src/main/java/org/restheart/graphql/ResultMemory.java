package org.restheart.graphql;

import graphql.execution.instrumentation.InstrumentationContext;
import graphql.execution.instrumentation.InstrumentationState;
import graphql.execution.instrumentation.SimpleInstrumentationContext;
import graphql.execution.instrumentation.SimplePerformantInstrumentation;
import graphql.execution.instrumentation.parameters.InstrumentationCreateStateParameters;
import graphql.execution.instrumentation.parameters.InstrumentationFieldCompleteParameters;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// Bounds the memory of results while they are computed, of each one, of each caller's, and in total: a short query may
/// select the same field of many documents under hundreds of names. Thread-safe.
final class ResultMemory {
    private static final int UNIT = 1 << 20;
    private static final long MIN_TOGETHER = 128L << 20;

    private final FairShares units;
    private final long maxBytes;

    /// @param maxBytes of one result
    ResultMemory(long maxBytes) {
        long together = Math.max(MIN_TOGETHER, Runtime.getRuntime().maxMemory() / 4);
        this.maxBytes = Math.min(maxBytes, together / 2); // the share of a caller alone
        this.units = new FairShares((int) Math.min(Integer.MAX_VALUE, together / UNIT), 0);
    }

    /// Opens the share of a result of the current caller.
    Share open() {
        return new Share(CallerScope.current());
    }

    /// The memory of one result. Confined to its request.
    final class Share implements AutoCloseable {
        private final String caller;
        private long bytes;
        private int taken;

        private Share(String caller) {
            this.caller = caller;
        }

        /// @throws org.restheart.http.ProblemException if the result is too large, or there is too little memory now
        void hold(long more) {
            bytes += more;
            if (bytes > maxBytes) {
                throw Problem.of(
                                ProblemCode.UNPROCESSABLE,
                                "the response is larger than " + maxBytes + " bytes, or takes as much memory")
                        .raise();
            }
            int needed = (int) (bytes / UNIT) - taken;
            if (needed > 0) {
                if (!units.tryTake(caller, needed)) {
                    throw Problem.of(ProblemCode.OVERLOADED, "other results take the memory at the moment")
                            .with("Retry-After", "1")
                            .raise();
                }
                taken += needed;
            }
        }

        @Override
        public void close() {
            if (taken > 0) {
                units.release(caller, taken);
                taken = 0;
            }
        }
    }

    /// Tells each execution of its values.
    static final class Counting extends SimplePerformantInstrumentation {
        @Override
        public InstrumentationState createState(InstrumentationCreateStateParameters parameters) {
            return Execution.of(parameters.getExecutionInput().getGraphQLContext());
        }

        @Override
        public InstrumentationContext<Object> beginFieldCompletion(
                InstrumentationFieldCompleteParameters parameters, @Nullable InstrumentationState state) {
            if (state instanceof Execution execution) {
                execution.count(parameters.getFetchedObject());
            }
            return SimpleInstrumentationContext.noOp();
        }
    }
}
