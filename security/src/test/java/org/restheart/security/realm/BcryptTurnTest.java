package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BcryptTurnTest {
    @Test
    void that_nobody_waits_for_any_more_is_not_run() {
        var runs = new AtomicInteger();
        var late = new BcryptTurn<>(Duration.ZERO, runs::incrementAndGet);
        late.run();
        assertThat(late).isCancelled();
        assertThat(runs).hasValue(0);
    }

    @Test
    void that_somebody_waits_for_is_run() {
        var turn = new BcryptTurn<>(Duration.ofMinutes(1), () -> 7);
        turn.run();
        assertThat(turn).isCompletedWithValue(7);
    }
}
