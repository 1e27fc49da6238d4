package org.restheart.mongo.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackgroundTasksTest {
    /// The condition of a task is checked on the scheduler's thread.
    @Test
    void a_task_that_has_nothing_to_do_gets_no_thread() throws Exception {
        var asked = new AtomicInteger();
        var ran = new AtomicInteger();
        var ended = new CountDownLatch(1);
        try (var tasks = new BackgroundTasks()) {
            tasks.repeat("idle", Duration.ofMillis(1), () -> asked.incrementAndGet() == 5, () -> {
                ran.set(asked.get());
                ended.countDown();
            });
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ran.get()).as("refusals before").isGreaterThanOrEqualTo(5);
    }
}
