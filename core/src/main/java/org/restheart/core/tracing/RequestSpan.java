package org.restheart.core.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.restheart.http.Content;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;

/// The span of a request, from its arrival to the last byte of its response.
public final class RequestSpan extends RecordedSpan {

    RequestSpan(Tracer tracer, Span span, long toEpoch) {
        super(tracer, span, toEpoch);
    }

    /// Does something that becomes a part of this span, in its scope.
    public <T> T timed(String part, Supplier<T> task) {
        if (!isSampled()) {
            return task.get();
        }
        long began = System.nanoTime();
        try {
            return TraceScope.call(this, task::get);
        } finally {
            add(part, began, System.nanoTime());
        }
    }

    /// The response with the header `traceresponse`, by which clients find the trace, and with content whose
    /// production is a part of this span.
    public Response.Ready respond(Response.Ready ready) {
        var named = ready.with("traceresponse", traceparent());
        return isSampled() && ready.content() instanceof Content.Streamed streamed
                ? named.with(streamed.through(TracedSource::new))
                : named;
    }

    public void end(int status, long bytes) {
        span().setAttribute("http.response.status_code", (long) status).setAttribute("http.response.body.size", bytes);
        if (status >= 500) {
            span().setStatus(StatusCode.ERROR).setAttribute("error.type", Integer.toString(status));
        }
        end(span(), System.nanoTime());
    }

    /// Runs in the scope of this span; from its first read to its end it is a part of it.
    private final class TracedSource implements Content.Source {
        private final Content.Source source;
        private final long began = System.nanoTime();

        TracedSource(Content.Source source) {
            this.source = source;
        }

        @Override
        public ByteBuffer next() throws Exception {
            return TraceScope.call(RequestSpan.this, source::next);
        }

        @Override
        public void close() {
            TraceScope.run(RequestSpan.this, source::close);
            add("stream", began, System.nanoTime());
        }
    }
}
