package org.restheart.core.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts what is exported, and logs when that begins to fail and when it works again. Thread-safe.
final class ReportingExporter implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(ReportingExporter.class);

    private final SpanExporter exporter;
    private final String endpoint;
    private final LongAdder sent = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final AtomicBoolean failing = new AtomicBoolean();

    ReportingExporter(SpanExporter exporter, String endpoint) {
        this.exporter = exporter;
        this.endpoint = endpoint;
    }

    double sent() {
        return sent.sum();
    }

    double lost() {
        return lost.sum();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int count = spans.size();
        var result = exporter.export(spans);
        return result.whenComplete(() -> {
            if (result.isSuccess()) {
                sent.add(count);
                if (failing.compareAndSet(true, false)) {
                    LOG.info("traces are exported to {} again", endpoint);
                }
            } else {
                lost.add(count);
                if (failing.compareAndSet(false, true)) {
                    LOG.warn(
                            "traces cannot be exported to {}: {}; until that changes they are dropped, requests are not"
                                    + " affected",
                            endpoint,
                            reason(result.getFailureThrowable()));
                }
            }
        });
    }

    private static String reason(@Nullable Throwable failure) {
        return failure == null || failure.getMessage() == null ? "it refuses them" : failure.getMessage();
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
