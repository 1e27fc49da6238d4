package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SerialTasksTest {
    private final SerialTasks tasks = new SerialTasks("tasks-of-a-test");
    private final List<Integer> completed = new CopyOnWriteArrayList<>();

    @Test
    void tasks_are_completed_in_their_order() {
        var gate = new CountDownLatch(1);
        tasks.execute(() -> waitFor(gate));
        IntStream.range(0, 100).forEach(i -> tasks.execute(() -> completed.add(i)));
        assertThat(completed).isEmpty();
        gate.countDown();
        await().until(() -> tasks.waiting() == 0);
        assertThat(completed).hasSize(100).isSorted();
    }

    @Test
    void later_tasks_are_completed_whatever_the_failure() {
        tasks.execute(() -> {
            throw new IllegalStateException("a fault");
        });
        tasks.execute(() -> {
            throw new StackOverflowError("of the JVM");
        });
        tasks.execute(() -> completed.add(1));
        await().until(() -> tasks.waiting() == 0);
        tasks.execute(() -> completed.add(2));
        await().until(() -> tasks.waiting() == 0);
        assertThat(completed).containsExactly(1, 2);
    }

    private static void waitFor(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
