package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.restheart.core.metrics.RequestMetrics.RequestRegistry.DecayingHistogram;

class DecayingHistogramTest {
    private static final double[] SHARES = {0.5, 0.99};

    @Test
    void quantiles_are_right_to_within_two_percent() {
        var random = new Random(7);
        for (long range = 10; range < 10_000_000_000L; range *= 7) {
            var histogram = new DecayingHistogram();
            for (int i = 0; i < 20_000; i++) {
                histogram.record((long) (random.nextDouble() * range));
            }
            var quantiles = histogram.quantiles(SHARES);
            var tolerance = Math.max(1, 0.035 * range);
            assertThat(quantiles[0]).isCloseTo(range * 0.5, within(tolerance));
            assertThat(quantiles[1]).isCloseTo(range * 0.99, within(tolerance));
        }
    }

    @Test
    void a_single_value_is_every_quantile() {
        for (long micros = 0; micros < 5_000_000_000L; micros = micros * 3 + 1) {
            var histogram = new DecayingHistogram();
            histogram.record(micros);
            for (var quantile : histogram.quantiles(SHARES)) {
                assertThat(quantile).isCloseTo(micros, Percentage.withPercentage(2));
            }
        }
    }

    @Test
    void nothing_recorded_is_zero() {
        assertThat(new DecayingHistogram().quantiles(SHARES)).containsExactly(0, 0);
    }

    @Test
    void values_beyond_every_bound_are_kept() {
        var histogram = new DecayingHistogram();
        histogram.record(-5);
        histogram.record(Long.MAX_VALUE);
        assertThat(histogram.quantiles(SHARES)[1]).isGreaterThan(1e12);
    }

    @Test
    void old_values_give_way_to_new_ones() {
        var histogram = new DecayingHistogram();
        for (int i = 0; i < 1_000; i++) {
            histogram.record(1_000_000);
        }
        histogram.fade(300);
        for (int i = 0; i < 100; i++) {
            histogram.record(100);
        }
        assertThat(histogram.quantiles(SHARES)[0]).isCloseTo(100, within(2.0));
    }
}
