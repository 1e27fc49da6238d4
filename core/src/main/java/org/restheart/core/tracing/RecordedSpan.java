package org.restheart.core.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// A span of the SDK. Thread-safe.
class RecordedSpan implements TraceSpan {

    private final Tracer tracer;
    private final Span span;
    private final Context context;

    /// From [System#nanoTime()], in which times are given, to nanoseconds since 1970.
    private final long toEpoch;

    /// @param toEpoch as [#epochOffset()]
    RecordedSpan(Tracer tracer, Span span, long toEpoch) {
        this.tracer = tracer;
        this.span = span;
        this.context = Context.root().with(span);
        this.toEpoch = toEpoch;
    }

    /// What has to be added to [System#nanoTime()] now.
    static long epochOffset() {
        var now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - System.nanoTime();
    }

    final Span span() {
        return span;
    }

    private SpanContext identity() {
        return span.getSpanContext();
    }

    @Override
    public final boolean isSampled() {
        return identity().isSampled();
    }

    @Override
    public final String traceId() {
        return identity().getTraceId();
    }

    @Override
    public final String traceparent() {
        return "00-" + traceId() + "-" + identity().getSpanId() + "-"
                + identity().getTraceFlags().asHex();
    }

    final SpanBuilder part(String name, long began) {
        return tracer.spanBuilder(name).setParent(context).setStartTimestamp(began + toEpoch, TimeUnit.NANOSECONDS);
    }

    final void end(Span ended, long at) {
        ended.end(at + toEpoch, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void add(String part, long began, long ended) {
        if (isSampled()) {
            end(part(part, began).startSpan(), ended);
        }
    }

    @Override
    public final void add(String part, long began, long ended, TraceSpan shared) {
        if (isSampled()) {
            end(linked(part(part, began), shared).startSpan(), ended);
        }
    }

    private static SpanBuilder linked(SpanBuilder builder, TraceSpan other) {
        var recorded = ServerTiming.recorded(other);
        return recorded == null ? builder : builder.addLink(recorded.identity());
    }

    @Override
    public final Shared share(String part, int requests, Collection<TraceSpan> others, long began) {
        var builder = part(part, began).setAttribute("restheart.requests", (long) requests);
        others.forEach(other -> linked(builder, other));
        return new SharedPart(tracer, builder.startSpan(), toEpoch, others);
    }

    private static final class SharedPart extends RecordedSpan implements Shared {
        private final Collection<TraceSpan> others;

        SharedPart(Tracer tracer, Span span, long toEpoch, Collection<TraceSpan> others) {
            super(tracer, span, toEpoch);
            this.others = others;
        }

        @Override
        public void count(String part, long nanos) {
            others.forEach(other -> other.count(part, nanos));
        }

        @Override
        public void end(long ended) {
            end(span(), ended);
        }
    }
}
