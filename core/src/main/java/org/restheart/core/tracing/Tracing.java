package org.restheart.core.tracing;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.GatewayConfig.TracingConfig;
import org.restheart.core.tracing.Collector.Signal;
import org.restheart.http.Headers;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;

/// Traces of requests, exported to a collector. Requests never wait for the collector: spans are queued up to a
/// bound, and dropped beyond it. Thread-safe.
public final class Tracing implements AutoCloseable {
    /// How often spans are exported, unless a batch is full before.
    private static final Duration EXPORT_EVERY = Duration.ofSeconds(1);

    private static final int MAX_BATCH = 512;

    /// Characters of a path or another value.
    private static final int MAX_VALUE = 1_000;

    /// How long a stop waits for the last export.
    private static final Duration LAST_EXPORT = Duration.ofSeconds(2);

    private static final Sent SENT = new Sent();

    private final SdkTracerProvider provider;
    private final Tracer tracer;
    private final ExportReport report;
    private final LongAdder recorded = new LongAdder();

    public Tracing(TracingConfig config, String version, String instance) {
        var timeout = config.collector().timeout();
        var collector = Collector.of(Signal.TRACES, config.collector(), System.getenv(), version, instance);
        this.report = new ExportReport(Signal.TRACES, collector.url());
        var http = OtlpHttpSpanExporter.builder().setEndpoint(collector.url()).setTimeout(timeout);
        collector.headers().forEach(http::addHeader);
        this.provider = SdkTracerProvider.builder()
                .setResource(collector.resource())
                .setSampler(sampler(config))
                .setSpanLimits(SpanLimits.builder()
                        .setMaxAttributeValueLength(MAX_VALUE)
                        .build())
                .addSpanProcessor(new EndedSpans(recorded))
                .addSpanProcessor(BatchSpanProcessor.builder(new ReportedExporter(http.build(), report))
                        .setScheduleDelay(EXPORT_EVERY)
                        .setMaxQueueSize(config.maxQueuedSpans())
                        .setMaxExportBatchSize(Math.min(MAX_BATCH, config.maxQueuedSpans()))
                        .setExporterTimeout(timeout)
                        .build())
                .build();
        this.tracer = provider.tracerBuilder("org.restheart")
                .setInstrumentationVersion(version)
                .build();
    }

    private static Sampler sampler(TracingConfig config) {
        var own = Sampler.traceIdRatioBased(config.samplingRatio());
        return config.callersDecide()
                ? Sampler.parentBased(own)
                : Sampler.parentBasedBuilder(own)
                        .setRemoteParentSampled(own)
                        .setRemoteParentNotSampled(own)
                        .build();
    }

    /// Begins the span of a request, below that of its caller if it names one.
    ///
    /// @param arrived in [System#nanoTime()]
    public RequestSpan begin(Request request, String uri, long arrived) {
        var caller = W3CTraceContextPropagator.getInstance().extract(Context.root(), request.headers(), SENT);
        var method = request.method().name();
        var route = uri.equals("/") ? "/*" : uri;
        long toEpoch = RecordedSpan.epochOffset();
        var span = tracer.spanBuilder(method + " " + route)
                .setSpanKind(SpanKind.SERVER)
                .setParent(caller)
                .setStartTimestamp(arrived + toEpoch, TimeUnit.NANOSECONDS)
                .startSpan();
        if (span.isRecording()) {
            var connection = request.connection();
            span.setAttribute("http.request.method", method)
                    .setAttribute("http.route", route)
                    .setAttribute("url.path", SecretValues.masked(request.path().raw()))
                    .setAttribute("url.scheme", connection.calledUrl().startsWith("https:") ? "https" : "http")
                    .setAttribute("client.address", connection.clientAddress())
                    .setAttribute("network.peer.address", connection.peerAddress())
                    .setAttribute(
                            "network.protocol.version", connection.protocol().replaceFirst("^HTTP/", ""));
        }
        return new RequestSpan(tracer, span, toEpoch);
    }

    public double recorded() {
        return recorded.sum();
    }

    public ExportReport report() {
        return report;
    }

    /// Exports what waits, if that is possible soon.
    @Override
    public void close() {
        var _ = provider.shutdown().join(LAST_EXPORT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static final class Sent implements TextMapGetter<Headers> {
        @Override
        @SuppressWarnings("deprecation") // earlier versions of the interface have no default
        public Iterable<String> keys(Headers headers) {
            return List.of("traceparent", "tracestate");
        }

        @Override
        public @Nullable String get(@Nullable Headers headers, String name) {
            return headers == null ? null : headers.first(name).orElse(null);
        }
    }

    private record EndedSpans(LongAdder count) implements SpanProcessor {
        @Override
        public void onStart(Context parent, ReadWriteSpan span) {}

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            count.increment();
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }

    /// Tells the report of each export. Thread-safe.
    private record ReportedExporter(SpanExporter exporter, ExportReport report) implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return report.watched(exporter.export(spans), spans.size());
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
}
