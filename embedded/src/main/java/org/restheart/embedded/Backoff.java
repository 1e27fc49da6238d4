package org.restheart.embedded;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The delays between restarts and the limit of attempts. Confined to one thread.
final class Backoff {
    private static final int MAX_FAILURES = 8;
    private static final Duration FIRST = Duration.ofMillis(100);

    /// A process that ran this long counts as stable: its end is counted as the first failure.
    private static final Duration SOUND = Duration.ofMinutes(1);

    private int failures;

    /// @return how long to wait before the next attempt, from 100 ms doubling to 12.8 s; empty after the
    ///     eighth in a row
    Optional<Duration> afterFailure(Instant aliveSince, Instant now) {
        if (Duration.between(aliveSince, now).compareTo(SOUND) > 0) {
            failures = 0;
        }
        failures++;
        return failures > MAX_FAILURES ? Optional.empty() : Optional.of(FIRST.multipliedBy(1L << (failures - 1)));
    }
}
