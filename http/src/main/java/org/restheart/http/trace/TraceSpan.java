package org.restheart.http.trace;

import java.util.Collection;
import org.restheart.http.attribute.Key;

/// A span of a trace: work that takes time, and its parts. All times are in [System#nanoTime()]. Names of parts are
/// constants: never values of requests or documents. Thread-safe.
public interface TraceSpan {
    /// Of a request, while tracing is on, whether the request is sampled or not.
    Key<TraceSpan> KEY = Key.named("span");

    /// Whether the span and its parts are recorded.
    boolean isSampled();

    /// 32 hexadecimal digits.
    String traceId();

    /// The header of that name for requests that are sent on behalf of this span (W3C Trace Context).
    String traceparent();

    /// Adds a part that is over. Also after the end of the span.
    void add(String part, long began, long ended);

    /// Adds a part that was done for several spans at once.
    ///
    /// @param shared to which the part is linked
    void add(String part, long began, long ended, TraceSpan shared);

    /// Begins a part that is done for this span and others at once, and that is linked to those.
    ///
    /// @param requests for how many requests, sampled or not
    Shared share(String part, int requests, Collection<TraceSpan> others, long began);

    /// A part that is done for several spans at once.
    interface Shared extends TraceSpan {
        /// To be called once.
        void end(long ended);
    }
}
