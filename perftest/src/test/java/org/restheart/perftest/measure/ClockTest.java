package org.restheart.perftest.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.restheart.perftest.workload.Window;

class ClockTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void what_ends_in_the_warm_up_or_after_the_end_is_not_recorded() {
        var clock = new Clock(0, new Window(1000, 2000, 0));
        assertThat(clock.takes(SECOND - 1)).isFalse();
        assertThat(clock.takes(SECOND)).isTrue();
        assertThat(clock.takes(3 * SECOND - 1)).isTrue();
        assertThat(clock.takes(3 * SECOND)).isFalse();
        assertThat(clock.seconds(2 * SECOND)).isEqualTo(2);
    }

    @Test
    void a_count_ends_the_recording_at_the_last_operation() {
        var clock = new Clock(0, new Window(0, 60_000, 2));
        assertThat(clock.takes(1)).isTrue();
        assertThat(clock.over(1)).isFalse();
        assertThat(clock.takes(SECOND)).isTrue();
        assertThat(clock.over(SECOND)).isTrue();
        assertThat(clock.takes(SECOND + 1)).isFalse();
        assertThat(clock.seconds(SECOND)).isCloseTo(1, within(1e-9));
    }

    @Test
    void a_count_that_is_not_reached_lasts_until_the_end() {
        var clock = new Clock(0, new Window(0, 5000, 2));
        assertThat(clock.takes(1)).isTrue();
        assertThat(clock.seconds(1)).isEqualTo(5);
    }
}
