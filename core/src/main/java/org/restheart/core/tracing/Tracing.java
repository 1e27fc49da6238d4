package org.restheart.core.tracing;

import com.mongodb.event.CommandListener;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.TracingConfig;
import org.restheart.http.Headers;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Traces of requests, exported to a collector. Requests never wait for the collector: spans are queued up to a
/// bound, and dropped beyond it. Thread-safe.
public final class Tracing implements AutoCloseable {
    /// It reports every failed export; [ReportingExporter] reports the first. Kept here since the JDK's own
    /// registry of loggers forgets the level of one that is not referenced.
    private static final java.util.logging.Logger SDK = java.util.logging.Logger.getLogger("io.opentelemetry");

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
    private final ReportingExporter exporter;
    private final CommandListener commands = new CommandSpans();
    private final LongAdder recorded = new LongAdder();

    /// @param version of this build
    /// @param instance the name of this instance
    public Tracing(TracingConfig config, String version, String instance) {
        var collector = CollectorSettings.of(config, System.getenv(), version, instance);
        SDK.setLevel(Level.OFF);
        var http = OtlpHttpSpanExporter.builder().setEndpoint(collector.url()).setTimeout(config.exportTimeout());
        collector.headers().forEach(http::addHeader);
        this.exporter = new ReportingExporter(http.build(), collector.url());
        this.provider = SdkTracerProvider.builder()
                .setResource(Resource.create(collector.resource()))
                .setSampler(sampler(config))
                .setSpanLimits(SpanLimits.builder()
                        .setMaxAttributeValueLength(MAX_VALUE)
                        .build())
                .addSpanProcessor(new EndedSpans(recorded))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setScheduleDelay(EXPORT_EVERY)
                        .setMaxQueueSize(config.maxQueuedSpans())
                        .setMaxExportBatchSize(Math.min(MAX_BATCH, config.maxQueuedSpans()))
                        .setExporterTimeout(config.exportTimeout())
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
    /// @param uri to which the service of the request is bound
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
                    .setAttribute("url.scheme", connection.scheme())
                    .setAttribute("client.address", connection.peerAddress())
                    .setAttribute(
                            "network.protocol.version", connection.protocol().replaceFirst("^HTTP/", ""));
        }
        return new RequestSpan(tracer, span, toEpoch);
    }

    /// Records the commands of a MongoDB client.
    public CommandListener commands() {
        return commands;
    }

    /// Spans so far, in total.
    public double recorded() {
        return recorded.sum();
    }

    /// Spans that the collector has accepted.
    public double sent() {
        return exporter.sent();
    }

    /// Spans of exports that have failed.
    public double lost() {
        return exporter.lost();
    }

    /// Exports what waits, if that is possible soon.
    @Override
    public void close() {
        var _ = provider.shutdown().join(LAST_EXPORT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static final class Sent implements TextMapGetter<Headers> {
        @Override
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

    /// Counts what is exported, and logs when that begins to fail and when it works again. Thread-safe.
    private static final class ReportingExporter implements SpanExporter {
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
}
