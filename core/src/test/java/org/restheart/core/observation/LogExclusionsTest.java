package org.restheart.core.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogExclusionsTest {
    @Test
    void one_request_per_interval_is_logged() {
        var now = new AtomicLong(-5);
        var exclusions = new RequestLog.Exclusions(List.of("/ping*"), Duration.ofMinutes(10), now::get);
        assertThat(exclusions.excludes("/ping")).isFalse();
        assertThat(exclusions.excludes("/ping/x")).isTrue();
        now.addAndGet(TimeUnit.MINUTES.toNanos(9));
        assertThat(exclusions.excludes("/ping")).isTrue();
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertThat(exclusions.excludes("/ping")).isFalse();
        assertThat(exclusions.excludes("/ping")).isTrue();
    }

    @Test
    void each_pattern_has_its_own_interval() {
        var exclusions = new RequestLog.Exclusions(List.of("/a", "/b"), Duration.ofMinutes(10), () -> 0);
        assertThat(exclusions.excludes("/a")).isFalse();
        assertThat(exclusions.excludes("/b")).isFalse();
        assertThat(exclusions.excludes("/b")).isTrue();
        assertThat(exclusions.excludes("/other")).isFalse();
    }
}
