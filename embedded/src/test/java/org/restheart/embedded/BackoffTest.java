package org.restheart.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.restheart.embedded.EmbeddedMongo.Backoff;

final class BackoffTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Backoff backoff = new Backoff();

    @Test
    void pauses_double_until_it_is_given_up() {
        for (var pause = Duration.ofMillis(100);
                pause.compareTo(Duration.ofMillis(12_800)) <= 0;
                pause = pause.multipliedBy(2)) {
            assertThat(backoff.afterFailure(START, START)).contains(pause);
        }
        assertThat(backoff.afterFailure(START, START)).isEmpty();
    }

    @Test
    void a_minute_of_life_is_forgiven() {
        backoff.afterFailure(START, START);
        backoff.afterFailure(START, START);

        assertThat(backoff.afterFailure(START, START.plusSeconds(61))).contains(Duration.ofMillis(100));
    }
}
