package org.restheart.core.metrics;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.View;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.data.SummaryData;
import io.opentelemetry.sdk.metrics.data.SummaryPointData;
import io.opentelemetry.sdk.metrics.data.ValueAtQuantile;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.StreamSupport;
import org.restheart.core.config.GatewayConfig.MetricsConfig;
import org.restheart.core.tracing.Collector;
import org.restheart.core.tracing.Collector.Signal;
import org.restheart.core.tracing.ExportReport;

/// Pushes to a collector, by OTLP, the metrics that can be scraped, under the same names. Requests never wait for the
/// collector. Thread-safe; closing it pushes once more, if that is possible soon.
public final class OtlpMetrics implements AutoCloseable {
    /// How long a stop waits for the last push.
    private static final Duration LAST_PUSH = Duration.ofSeconds(2);

    /// Since when totals count that do not say it.
    private static final long PROCESS_START =
            TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getStartTime());

    /// The SDK's own instruments, which are not scraped.
    private static final InstrumentSelector ALL =
            InstrumentSelector.builder().setName("*").build();

    private static final View NONE =
            View.builder().setAggregation(Aggregation.drop()).build();

    private final SdkMeterProvider provider;
    private final ExportReport report;

    OtlpMetrics(Supplier<List<MetricSnapshot>> metrics, MetricsConfig.Push push, String version, String instance) {
        var timeout = push.collector().timeout();
        var collector = Collector.of(Signal.METRICS, push.collector(), System.getenv(), version, instance);
        this.report = new ExportReport(Signal.METRICS, collector.url());
        var http = OtlpHttpMetricExporter.builder().setEndpoint(collector.url()).setTimeout(timeout);
        collector.headers().forEach(http::addHeader);
        var scope = InstrumentationScopeInfo.builder("org.restheart")
                .setVersion(version)
                .build();
        this.provider = SdkMeterProvider.builder()
                .setResource(collector.resource())
                .registerView(ALL, NONE)
                .registerMetricProducer(resource -> collected(metrics, resource, scope))
                .registerMetricReader(PeriodicMetricReader.builder(new ReportedExporter(http.build(), report))
                        .setInterval(push.interval())
                        .setExporterTimeout(timeout)
                        .build())
                .build();
    }

    ExportReport report() {
        return report;
    }

    @Override
    public void close() {
        var _ = provider.shutdown().join(LAST_PUSH.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// None if they cannot be collected, which the SDK would not tell anybody.
    private Collection<MetricData> collected(
            Supplier<List<MetricSnapshot>> metrics, Resource resource, InstrumentationScopeInfo scope) {
        try {
            return families(metrics.get(), resource, scope);
        } catch (RuntimeException e) {
            var _ = report.watched(CompletableResultCode.ofExceptionalFailure(e), 1);
            return List.of();
        }
    }

    private static Collection<MetricData> families(
            List<MetricSnapshot> metrics, Resource resource, InstrumentationScopeInfo scope) {
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        return metrics.stream()
                .map(metric -> family(metric, now, resource, scope))
                .filter(family -> !family.isEmpty())
                .toList();
    }

    /// A family as OpenTelemetry has them.
    ///
    /// @param now in nanoseconds since 1970
    private static MetricData family(
            MetricSnapshot metric, long now, Resource resource, InstrumentationScopeInfo scope) {
        var named = metric.getMetadata();
        var type = switch (metric) {
            case CounterSnapshot _ -> MetricDataType.DOUBLE_SUM;
            case HistogramSnapshot _ -> MetricDataType.HISTOGRAM;
            case SummarySnapshot _ -> MetricDataType.SUMMARY;
            default -> MetricDataType.DOUBLE_GAUGE;
        };
        var data = switch (metric) {
            case CounterSnapshot counter -> total(counter, now);
            case HistogramSnapshot histogram -> histogram(histogram, now);
            case SummarySnapshot summary -> summary(summary, now);
            case InfoSnapshot info -> gauge(info.getDataPoints(), _ -> 1, now);
            case GaugeSnapshot gauge -> gauge(gauge.getDataPoints(), point -> point.getValue(), now);
            case UnknownSnapshot unknown -> gauge(unknown.getDataPoints(), point -> point.getValue(), now);
            default -> throw new IllegalStateException("no meter makes a " + metric.getClass());
        };
        var name = named.getName() + (metric instanceof InfoSnapshot ? "_info" : "");
        var help = Objects.requireNonNullElse(named.getHelp(), "");
        return new Family(resource, scope, name, help, "", type, data); // names end with their units
    }

    private static Data<?> total(CounterSnapshot counter, long now) {
        return SumData.createDoubleSumData(
                true,
                AggregationTemporality.CUMULATIVE,
                counter.getDataPoints().stream()
                        .map(point -> DoublePointData.create(
                                since(point), now, attributes(point), point.getValue(), List.of()))
                        .toList());
    }

    /// What is not a number is left out.
    private static <P extends DataPointSnapshot> Data<?> gauge(List<P> points, ToDoubleFunction<P> value, long now) {
        return GaugeData.createDoubleGaugeData(points.stream()
                .filter(point -> !Double.isNaN(value.applyAsDouble(point)))
                .map(point -> DoublePointData.create(0, now, attributes(point), value.applyAsDouble(point), List.of()))
                .toList());
    }

    private static Data<?> summary(SummarySnapshot summary, long now) {
        return SummaryData.create(summary.getDataPoints().stream()
                .map(point -> SummaryPointData.create(
                        since(point),
                        now,
                        attributes(point),
                        point.getCount(),
                        point.getSum(),
                        StreamSupport.stream(point.getQuantiles().spliterator(), false)
                                .map(each -> ValueAtQuantile.create(each.getQuantile(), each.getValue()))
                                .toList()))
                .toList());
    }

    private static Data<?> histogram(HistogramSnapshot histogram, long now) {
        return HistogramData.create(
                AggregationTemporality.CUMULATIVE,
                histogram.getDataPoints().stream()
                        .map(point -> {
                            var buckets = point.getClassicBuckets();
                            var bounds = buckets.stream().map(ClassicHistogramBucket::getUpperBound);
                            return HistogramPointData.create(
                                    since(point),
                                    now,
                                    attributes(point),
                                    point.getSum(),
                                    false,
                                    0,
                                    false,
                                    0,
                                    bounds.limit(buckets.size() - 1L).toList(), // the last one is infinite
                                    buckets.stream()
                                            .map(ClassicHistogramBucket::getCount)
                                            .toList());
                        })
                        .toList());
    }

    /// In nanoseconds since 1970.
    private static long since(DataPointSnapshot point) {
        return point.hasCreatedTimestamp()
                ? TimeUnit.MILLISECONDS.toNanos(point.getCreatedTimestampMillis())
                : PROCESS_START;
    }

    private static Attributes attributes(DataPointSnapshot point) {
        var attributes = Attributes.builder();
        point.getLabels().forEach(label -> attributes.put(label.getName(), label.getValue()));
        return attributes.build();
    }

    /// Its components are named as the methods that the SDK asks.
    private record Family(
            Resource getResource,
            InstrumentationScopeInfo getInstrumentationScopeInfo,
            String getName,
            String getDescription,
            String getUnit,
            MetricDataType getType,
            Data<?> getData)
            implements MetricData {}

    /// Tells the report of each push. Thread-safe.
    private record ReportedExporter(MetricExporter exporter, ExportReport report) implements MetricExporter {
        @Override
        public CompletableResultCode export(Collection<MetricData> metrics) {
            return report.watched(exporter.export(metrics), 1);
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }

        @Override
        public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
            return exporter.getAggregationTemporality(instrument);
        }
    }
}
