package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BcryptTurnTest {
    @Test
    void without_waiting_callers_is_not_run() {
        var runs = new AtomicInteger();
        var late = new BcryptQueue.Turn<>(Duration.ZERO, runs::incrementAndGet);
        late.run();
        assertThat(late).isCancelled();
        assertThat(runs).hasValue(0);
    }

    @Test
    void with_a_waiting_caller_is_run() {
        var turn = new BcryptQueue.Turn<>(Duration.ofMinutes(1), () -> 7);
        turn.run();
        assertThat(turn).isCompletedWithValue(7);
    }
}
