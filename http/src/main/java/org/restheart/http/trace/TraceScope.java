package org.restheart.http.trace;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The span of the request for which the current thread works. Only sampled requests have one; for others, and
/// while tracing is off, nothing is allocated.
public final class TraceScope {
    private static final ScopedValue<TraceSpan> CURRENT = ScopedValue.newInstance();

    private TraceScope() {}

    /// The current span; null if there is none.
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
    ///
    /// @param part the name of the part
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
}
