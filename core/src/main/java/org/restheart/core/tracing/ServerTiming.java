package org.restheart.core.tracing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// Sums the parts of a request's work for its caller (Server Timing, W3C), and passes them on to its span. What is done
/// for several requests counts fully for each, at once: a response may leave before its batch has ended. Thread-safe.
public final class ServerTiming implements TraceSpan.Shared {
    public static final String HEADER = "Server-Timing";

    private static final List<String> NAMES = List.of("auth", "queue", "mongo", "encode");
    private static final Map<String, String> MEANINGS = Map.of("wait for batch", "queue");
    private static final double NANOS_PER_MILLI = 1e6;

    private final @Nullable TraceSpan span;
    private final List<TraceSpan> sharers;
    private final AtomicLongArray nanos = new AtomicLongArray(NAMES.size());

    /// @param span if the request is traced
    private ServerTiming(@Nullable TraceSpan span, List<TraceSpan> sharers) {
        this.span = span;
        this.sharers = sharers;
    }

    /// A filter that authenticates and authorizes, and behind it tells those callers where the time of their requests
    /// went whose permissions say so.
    public static Filter behind(Filter security) {
        return (request, next) -> {
            long began = System.nanoTime();
            return security.filter(
                    request,
                    admitted -> admitted.caller().grant().serverTiming()
                            ? timed(admitted, next, System.nanoTime() - began)
                            : next.handle(admitted));
        };
    }

    private static Response timed(Request request, Handler next, long auth) {
        var timing = new ServerTiming(TraceScope.current(), List.of());
        timing.count("auth", auth);
        return TraceScope.call(timing, () -> next.handle(request))
                .timed(taken -> timing.count("encode", taken))
                .map(ready -> ready.withHeaders(ready.headers().plus(HEADER, timing.value())));
    }

    private String value() {
        return IntStream.range(0, NAMES.size())
                .mapToObj(i -> String.format(Locale.ROOT, "%s;dur=%.3f", NAMES.get(i), nanos.get(i) / NANOS_PER_MILLI))
                .collect(Collectors.joining(", "));
    }

    /// The span of the SDK, if there is one.
    static @Nullable RecordedSpan recorded(@Nullable TraceSpan span) {
        return switch (span) {
            case ServerTiming timing -> recorded(timing.span);
            case RecordedSpan recorded -> recorded;
            case null, default -> null;
        };
    }

    @Override
    public boolean isSampled() {
        return span != null && span.isSampled();
    }

    @Override
    public String traceId() {
        return span == null ? "" : span.traceId();
    }

    @Override
    public String traceparent() {
        return span == null ? "" : span.traceparent();
    }

    @Override
    public void count(String part, long taken) {
        int index = NAMES.indexOf(MEANINGS.getOrDefault(part, part));
        if (index >= 0) {
            nanos.addAndGet(index, taken);
        }
        sharers.forEach(sharer -> sharer.count(part, taken));
    }

    @Override
    public void add(String part, long began, long ended) {
        count(part, ended - began);
        if (span != null) {
            span.add(part, began, ended);
        }
    }

    @Override
    public void add(String part, long began, long ended, TraceSpan shared) {
        if (span != null) {
            span.add(part, began, ended, shared);
        }
    }

    /// The span is begun by the first of the requests that is traced, this one or another.
    @Override
    public Shared share(String part, int requests, Collection<TraceSpan> others, long began) {
        var all = new ArrayList<TraceSpan>(others.size() + 1);
        all.add(this);
        all.addAll(others);
        var traced = all.stream().filter(TraceSpan::isSampled).toList();
        var first = traced.isEmpty() ? null : recorded(traced.getFirst());
        return new ServerTiming(
                first == null ? null : first.share(part, requests, traced.subList(1, traced.size()), began), all);
    }

    @Override
    public void end(long ended) {
        if (span instanceof Shared shared) {
            shared.end(ended);
        }
    }
}
