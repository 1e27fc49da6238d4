package org.restheart.http.trace;

import java.util.Collection;
import org.restheart.http.attribute.Key;

/// A span of a trace, and the parts of its work. All times are in [System#nanoTime()]. Names of parts are
/// constants: they never contain values of requests or documents. Thread-safe.
public interface TraceSpan {
    /// The span of a request, also of one that is not sampled. Absent while tracing is off.
    Key<TraceSpan> KEY = Key.named("span");

    /// Whether the span and its parts are recorded.
    boolean isSampled();

    /// 32 hexadecimal digits.
    String traceId();

    /// The header of that name for requests that are sent on behalf of this span (W3C Trace Context).
    String traceparent();

    /// Adds a completed part. Allowed after the end of the span.
    void add(String part, long began, long ended);

    /// Adds a completed part of work that was shared with other spans.
    ///
    /// @param shared the span of the shared work, to which the part is linked
    void add(String part, long began, long ended, TraceSpan shared);

    /// Begins a part of this span that is shared with other spans, to which it is linked.
    ///
    /// @param requests the number of requests that share the work, sampled or not
    /// @param others the other spans
    Shared share(String part, int requests, Collection<TraceSpan> others, long began);

    /// Work that several spans share.
    interface Shared extends TraceSpan {
        /// To be called once.
        void end(long ended);
    }
}
