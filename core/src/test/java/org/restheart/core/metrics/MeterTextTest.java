package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is written is, byte for byte, what Prometheus' own writers make of the same meters.
class MeterTextTest {
    @AutoClose
    private final MeteredRegistry registry = new MeteredRegistry("/test");

    private final AtomicReference<Double> measured = new AtomicReference<>(0.0);
    private final AtomicLong counted = new AtomicLong();

    private void assertSame(ExpositionFormat format) {
        var expected = ((PrometheusMeterRegistry) registry.meters()).scrape(format.contentType());
        var end = format == ExpositionFormat.OPEN_METRICS ? ExpositionFormat.END : "";
        assertThat(registry.scrape(format) + end).isEqualTo(expected);
    }

    private Counter counter(String... tags) {
        return Counter.builder("a.counter")
                .description("Quotes \" and \\ and\nlines, größer")
                .tags(tags)
                .register(registry.meters());
    }

    private Timer timer(String name, Duration... bounds) {
        return Timer.builder(name)
                .description("Time")
                .serviceLevelObjectives(bounds)
                .tag("kind", "x")
                .register(registry.meters());
    }

    private DistributionSummary summary(String name, double... bounds) {
        return DistributionSummary.builder(name).serviceLevelObjectives(bounds).register(registry.meters());
    }

    @ParameterizedTest
    @EnumSource
    void every_type_of_meter_is_written_as_the_library_does(ExpositionFormat format) {
        assertSame(format);
        counter("b", "2", "a.b", "a \"quoted\" \\ \n value").increment();
        counter("b", "2", "a.b", "a").increment(0.1 + 0.2);
        counter("b", "2", "a.b", "a b").increment(1e21);
        FunctionCounter.builder("a_function_total", counted, AtomicLong::get).register(registry.meters());
        Gauge.builder("gauge", measured::get).baseUnit("bytes").description("G").register(registry.meters());
        var timed = timer("timed_seconds", Duration.ofNanos(100_000), Duration.ofMillis(5), Duration.ofSeconds(1));
        var plain = timer("plain");
        var sizes = summary("sizes", 1, 2, 4, 1_000_000);
        var sizesWithout = summary("sizes_without");
        assertSame(format);
        for (long i = 0; i < 2_000; i++) {
            timed.record(Duration.ofNanos(i * i * 700));
            plain.record(Duration.ofNanos(i));
            sizes.record((double) i / 3);
            sizesWithout.record(i);
            counted.addAndGet(i);
        }
        for (double value : new double[] {
            1, -0.0, 1e-9, 123456789012.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1.0 / 3
        }) {
            measured.set(value);
            assertSame(format);
        }
    }

    @ParameterizedTest
    @EnumSource
    void meters_that_come_and_go_are_written_while_they_are_there(ExpositionFormat format) {
        counter("a", "1").increment();
        assertSame(format);
        counter("a", "2").increment();
        assertSame(format);
        var gone = counter("a", "1");
        registry.meters().remove(gone);
        assertSame(format);
        counter("a", "1").increment(7);
        assertSame(format);
        registry.meters().clear();
        assertSame(format);
    }

    @ParameterizedTest
    @EnumSource
    void other_types_are_refused_when_they_are_registered(ExpositionFormat format) {
        assertThatThrownBy(() -> LongTaskTimer.builder("long").register(registry.meters()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(registry.scrape(format)).isEmpty();
    }
}
