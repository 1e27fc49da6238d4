package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.coalescing.BatchQueues.QueueChecks;

class QueueChecksTest extends BatchQueueFixture {
    private final Gate gate = new Gate();

    private BatchQueue<Integer, Integer> stuck(QueueChecks checks) {
        return new BatchQueue<>(
                batch -> {
                    gate.pass();
                    batch.forEach(pending -> pending.complete(pending.request(), 1));
                },
                limits(1, 1, 1000, 10, Duration.ofMillis(100)),
                threads,
                UP,
                load,
                meters,
                checks,
                System::nanoTime);
    }

    @Test
    void every_queue_refuses_what_has_waited_for_too_long_also_when_used_again() {
        var checks = new QueueChecks(threads);
        var queues = new ArrayList<BatchQueue<Integer, Integer>>();
        for (int i = 0; i < 50; i++) {
            queues.add(stuck(checks));
        }
        for (int round = 0; round < 3; round++) {
            var waiting = new ArrayList<PendingRequest<Integer, Integer>>();
            for (var queue : queues) {
                if (round == 0) {
                    queue.submit(0, 1); // its command does not end
                }
                waiting.add(queue.submit(1, 1));
            }
            await().until(() -> waiting.stream().allMatch(PendingRequest::isCompletedExceptionally));
        }
        gate.open.countDown();
    }

    /// Checks that a queue needs soon replace those of others that were due later, instead of going on beside them.
    @Test
    void one_check_is_scheduled_however_many_queues_there_are() {
        var checked = new AtomicInteger();
        var checks = new AtomicReference<QueueChecks>();
        checks.set(new QueueChecks(task -> {
            checked.incrementAndGet();
            checks.get().add(stuck(checks.get()), TimeUnit.MINUTES.toNanos(1)); // while the queues are checked
            task.run();
        }));
        var queue = stuck(checks.get());
        queue.submit(0, 1); // its command does not end
        await().until(() -> checked.get() > 20);
        assertThat(ForkJoinPool.commonPool().getDelayedTaskCount()).isLessThan(15);
        gate.open.countDown();
    }

    @Test
    void checks_go_on_where_some_could_not_begin() {
        var refused = new AtomicInteger();
        var checks = new QueueChecks(task -> {
            if (refused.getAndIncrement() < 2) {
                throw new IllegalStateException("no thread");
            }
            threads.execute(task);
        });
        var queue = stuck(checks);
        queue.submit(0, 1); // its command does not end
        var waiting = queue.submit(1, 1);
        await().until(waiting::isCompletedExceptionally);
        gate.open.countDown();
        assertThat(refused).hasValueGreaterThan(2);
    }
}
