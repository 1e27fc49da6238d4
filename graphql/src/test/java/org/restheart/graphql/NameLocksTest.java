package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class NameLocksTest {
    private static final Duration NO_TIME = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final NameLocks<String> locks = new NameLocks<>();

    @Test
    void requests_without_a_common_name_do_not_wait() {
        assertThat(locks.lock(Set.of("a", "b"), NO_TIME)).isTrue();
        assertThat(locks.lock(Set.of("c"), NO_TIME)).isTrue();
        assertThat(locks.lock(Set.of("d", "b"), NO_TIME)).isFalse();
        assertThat(locks.lock(Set.of("d"), NO_TIME)).isTrue(); // nothing remains of what was not locked
        locks.unlock(Set.of("a", "b"));
        assertThat(locks.lock(Set.of("a"), NO_TIME)).isTrue();
        assertThat(locks.lock(Set.of("b"), NO_TIME)).isTrue();
    }

    @Test
    void what_waits_goes_on_when_its_names_are_unlocked_and_keeps_no_other_names_locked() throws Exception {
        assertThat(locks.lock(Set.of("a"), NO_TIME)).isTrue();
        var started = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = threads.submit(() -> {
                started.countDown();
                return locks.lock(Set.of("a", "b"), LONG);
            });
            started.await();
            assertThat(locks.lock(Set.of("b"), LONG)).isTrue();
            locks.unlock(Set.of("b"));
            assertThat(waiting.isDone()).isFalse();
            locks.unlock(Set.of("a"));
            assertThat(waiting.get()).isTrue();
            assertThat(locks.lock(Set.of("b"), NO_TIME)).isFalse();
        }
    }
}
