package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.restheart.http.access.CallerScope;

class ComputeLimitTest {
    private static final String ADA = CallerScope.account("ada");
    private static final String BOB = CallerScope.account("bob");

    private final ComputeLimit limit = new ComputeLimit(2);
    private final CountDownLatch end = new CountDownLatch(1);

    private <T> CompletableFuture<T> compute(String caller, Supplier<T> task) {
        return CompletableFuture.supplyAsync(
                () -> CallerScope.call(caller, () -> limit.compute(task)),
                thread -> Thread.ofVirtual().start(thread));
    }

    private CompletableFuture<String> occupy(String caller) throws InterruptedException {
        var begun = new CountDownLatch(1);
        var occupied = compute(caller, () -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return caller;
        });
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        return occupied;
    }

    @Test
    void one_caller_leaves_a_place_to_others_and_is_refused_after_a_second() throws Exception {
        var first = occupy(ADA);
        long start = System.nanoTime();
        var second = compute(ADA, () -> "second");
        assertThat(compute(BOB, () -> "bob").get(60, TimeUnit.SECONDS)).isEqualTo("bob");
        var refusal = catchThrowableOfType(ProblemException.class, () -> {
            try {
                second.join();
            } catch (CompletionException e) {
                throw e.getCause();
            }
        });
        assertThat(refusal.problem().status()).isEqualTo(503);
        assertThat(refusal.problem().headers().toString()).contains("Retry-After");
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(900), Duration.ofSeconds(30)); // on a busy machine
        assertThat(limit.refused()).isEqualTo(1);
        end.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(ADA);
        assertThat(compute(ADA, () -> "third").get(60, TimeUnit.SECONDS)).isEqualTo("third");
    }

    @Test
    void a_waiting_caller_is_served_when_a_place_is_free() throws Exception {
        var first = occupy(ADA);
        var second = compute(ADA, () -> "second");
        end.countDown();
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("second");
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(ADA);
        assertThat(limit.refused()).isZero();
    }

    /// How often this thread has waited for something.
    private static long waits() {
        return ManagementFactory.getThreadMXBean()
                .getThreadInfo(Thread.currentThread().threadId())
                .getWaitedCount();
    }

    @Test
    void threads_that_others_need_do_not_wait() throws Exception {
        var first = occupy(ADA);
        long before = waits();
        var refusal = catchThrowableOfType(
                ProblemException.class, () -> CallerScope.call(ADA, () -> limit.compute(() -> "second")));
        assertThat(refusal).isNotNull();
        assertThat(waits()).isEqualTo(before);
        end.countDown();
        first.get(60, TimeUnit.SECONDS);
    }
}
