package org.restheart.http.trace;

import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.attribute.Key;

/// The span of the request for which the current thread works. Only requests have one that are sampled, or whose caller
/// is told where the time went; for others nothing is allocated.
public final class TraceScope {
    private static final ScopedValue<TraceSpan> CURRENT = ScopedValue.newInstance();

    private TraceScope() {}

    public static @Nullable TraceSpan current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /// Runs a task in the scope of a span; with null, in the current scope.
    public static void run(@Nullable TraceSpan span, Runnable task) {
        if (span == null) {
            task.run();
        } else {
            ScopedValue.where(CURRENT, span).run(task);
        }
    }

    /// As [#run], for a task with a result.
    public static <T, E extends Exception> T call(@Nullable TraceSpan span, ScopedValue.CallableOp<T, E> task)
            throws E {
        return span == null ? task.call() : ScopedValue.where(CURRENT, span).call(task);
    }

    /// The task in the scope of the current thread's span, to be run on any thread.
    public static Runnable carried(Runnable task) {
        var span = current();
        return span == null ? task : () -> run(span, task);
    }

    /// Runs a task and adds it as a part to the current span.
    public static <T> T timed(String part, Supplier<T> task) {
        var span = current();
        if (span == null) {
            return task.get();
        }
        long began = System.nanoTime();
        try {
            return task.get();
        } finally {
            span.add(part, began, System.nanoTime());
        }
    }

    /// A span of a trace, and the parts of its work. All times are in [System#nanoTime()]. Names of parts are
    /// constants: they never contain values of requests or documents. Thread-safe.
    public interface TraceSpan {
        /// The span of a request, also of one that is not sampled. Absent while tracing is off.
        Key<TraceSpan> KEY = Key.named("span");

        /// Whether the span and its parts are recorded.
        boolean isSampled();

        /// 32 hexadecimal digits; empty without a trace.
        String traceId();

        /// The header of that name for requests that are sent on behalf of this span (W3C Trace Context).
        String traceparent();

        /// Adds a completed part. Allowed after the end of the span.
        void add(String part, long began, long ended);

        /// Counts time that has no part of its own in traces.
        default void count(String part, long nanos) {}

        /// Adds a completed part of work that was shared with other spans.
        ///
        /// @param shared the span of the shared work, to which the part is linked
        void add(String part, long began, long ended, TraceSpan shared);

        /// Begins a part of this span that is shared with other spans, to which it is linked.
        ///
        /// @param requests the number of requests that share the work, sampled or not
        Shared share(String part, int requests, Collection<TraceSpan> others, long began);

        /// Work that several spans share.
        interface Shared extends TraceSpan {
            /// To be called once.
            void end(long ended);
        }
    }
}
