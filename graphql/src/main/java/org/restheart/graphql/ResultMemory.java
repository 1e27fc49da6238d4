package org.restheart.graphql;

import graphql.execution.instrumentation.InstrumentationContext;
import graphql.execution.instrumentation.InstrumentationState;
import graphql.execution.instrumentation.SimpleInstrumentationContext;
import graphql.execution.instrumentation.SimplePerformantInstrumentation;
import graphql.execution.instrumentation.parameters.InstrumentationCreateStateParameters;
import graphql.execution.instrumentation.parameters.InstrumentationFieldCompleteParameters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;

/// Bounds the memory of results while they are computed, of each one, of each caller's, and in total: a short query may
/// select the same field of many documents under hundreds of names. Thread-safe.
final class ResultMemory {
    /// Bytes of an element of a list.
    private static final int ELEMENT = 50;

    /// Most memory of fields that wait, in parts of that of a result.
    private static final int WAITING = 4;

    private final MemoryBudget memory;
    private final long maxBytes;
    private final long maxWaiting;

    /// @param maxBytes of one result
    ResultMemory(long maxBytes, MemoryBudget memory) {
        this.maxWaiting = WAITING * maxBytes;
        this.maxBytes = maxBytes;
        this.memory = memory;
    }

    /// Opens the share of a result of the current caller.
    Share open() {
        return new Share(CallerScope.current());
    }

    /// The memory of one result. Confined to its request.
    final class Share implements AutoCloseable {
        private final Lease lease;
        private long held;
        private long waiting;

        private Share(String caller) {
            this.lease = memory.open(() -> caller);
        }

        /// Owns the documents that are read for the result.
        Lease lease() {
            return lease;
        }

        /// @param waits called before it waits for memory, as it does while the result holds little
        /// @throws org.restheart.http.ProblemException if the result is too large, or memory is short
        void hold(long more, Runnable waits) {
            count(more);
            own(more, waits);
        }

        /// Counts documents, whose memory the lease owns already.
        ///
        /// @throws org.restheart.http.ProblemException if the result is too large
        void count(long more) {
            if (held - waiting + more > maxBytes) {
                throw tooLarge();
            }
            held += more;
        }

        private void own(long more, Runnable waits) {
            if (lease.tryHold(more)) {
                return;
            }
            if (lease.isBeyondShare(more)) {
                throw tooLarge();
            }
            waits.run();
            if (!lease.tryAwait(more)) {
                throw Lease.full();
            }
        }

        private ProblemException tooLarge() {
            return new ProblemException(
                    ProblemCode.UNPROCESSABLE,
                    "the response is larger than " + Math.min(maxBytes, memory.share())
                            + " bytes, or takes as much memory");
        }

        /// Holds what fields need while they wait for their documents. It is no part of the result.
        ///
        /// @param waits see [#hold]
        /// @throws org.restheart.http.ProblemException if too many wait at once, or there is too little memory
        void holdWaiting(long more, Runnable waits) {
            if (waiting + more > maxWaiting) {
                throw new ProblemException(
                        ProblemCode.UNPROCESSABLE,
                        "the operation loads documents for too many fields at once: they take more than " + maxWaiting
                                + " bytes of memory");
            }
            own(more, waits);
            waiting += more;
            held += more;
        }

        /// Gives back what was held for fields that do not wait any more, for what the result holds later.
        void releaseWaiting(long bytes) {
            waiting -= bytes;
            held -= bytes;
            lease.correct(bytes, 0);
        }

        /// JSON is about as large as the documents and values, in a buffer that grows.
        ///
        /// @param waits see [#hold]
        void holdEncoding(Runnable waits) {
            own(held, waits);
        }

        @Override
        public void close() {
            lease.close();
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
                execution.countValue(parameters.getFetchedObject());
            }
            return SimpleInstrumentationContext.noOp();
        }
    }

    /// The memory of an argument, but for what it shares with others.
    static long sizeOfUnshared(@Nullable Object value, Set<@Nullable Object> shared) {
        if (shared.contains(value)) {
            return 0;
        }
        return switch (value) {
            case BsonValue bson -> sizeOf(bson);
            case Map<?, ?> members -> {
                long bytes = 2L * ELEMENT;
                for (var member : members.values()) {
                    bytes += 2L * ELEMENT + sizeOfUnshared(member, shared);
                }
                yield bytes;
            }
            case List<?> list -> {
                long bytes = ELEMENT;
                for (var element : list) {
                    bytes += ELEMENT + sizeOfUnshared(element, shared);
                }
                yield bytes;
            }
            case null, default -> sizeOf(value);
        };
    }

    /// The memory of what was decoded for a value. Documents within documents are views of their bytes.
    static long sizeOf(@Nullable Object value) {
        return switch (value) {
            case String text -> text.length();
            case BsonString text -> text.getValue().length();
            case BsonBinary binary -> binary.getData().length;
            case RawBsonDocument document -> document.getByteLength();
            case BsonDocument document -> {
                long bytes = ELEMENT;
                for (var member : document.entrySet()) {
                    bytes += 2L * ELEMENT + member.getKey().length() + sizeOf(member.getValue());
                }
                yield bytes;
            }
            case List<?> list -> {
                long bytes = (long) ELEMENT * list.size();
                for (var element : list) {
                    bytes += sizeOf(element);
                }
                yield bytes;
            }
            case null, default -> 0;
        };
    }
}
