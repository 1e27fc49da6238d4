package org.restheart.perftest.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class LatencyTest {
    @Test
    void percentiles_are_in_microseconds() {
        var histogram = Latency.histogram();
        for (var millis = 1; millis <= 1000; millis++) {
            Latency.record(histogram, millis * 1_000_000L);
        }
        var latency = Latency.of(histogram);
        assertThat(latency.p50()).isCloseTo(500_000, withinPercentage(0.2));
        assertThat(latency.p99()).isCloseTo(990_000, withinPercentage(0.2));
        assertThat(latency.max()).isCloseTo(1_000_000, withinPercentage(0.2));
        assertThat(latency.mean()).isCloseTo(500_500, withinPercentage(0.2));
    }

    @Test
    void what_is_longer_than_the_histogram_counts_as_its_end() {
        var histogram = Latency.histogram();
        Latency.record(histogram, Long.MAX_VALUE);
        assertThat(Latency.of(histogram).max()).isGreaterThanOrEqualTo(120_000_000);
    }

    @Test
    void nothing_recorded_is_no_latency() {
        assertThat(Latency.of(Latency.histogram())).isEqualTo(Latency.NONE);
    }
}
