package org.restheart.mongo.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/// How much of what was read stays in memory: clients determine how large it is.
class SharedLoadsTest {
    private final SharedLoads<Integer, String> loads =
            new SharedLoads<>("test", 100, Duration.ofMinutes(5), String::length, 1_000);

    private long kept(int many, Function<Integer, String> load) {
        for (int i = 0; i < many; i++) {
            assertThat(loads.get(i, load)).isEqualTo(load.apply(i));
        }
        return loads.meter().entries();
    }

    @Test
    void small_values_are_bounded_in_number() {
        assertThat(kept(300, i -> "value " + i)).isBetween(50L, 100L);
    }

    @Test
    void fewer_large_values_are_kept() {
        assertThat(kept(20, i -> i + "x".repeat(300))).isBetween(1L, 3L);
    }

    @Test
    void a_value_larger_than_all_may_be_is_kept_alone() {
        var reads = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            loads.get(7, _ -> reads.incrementAndGet() + "x".repeat(5_000));
        }
        assertThat(reads).hasValue(1);
    }

    /// The cache logs failures with their stack, and clients could fill the log.
    @Test
    void a_failure_is_thrown_and_neither_logged_nor_kept() {
        var logged = new ArrayList<LogRecord>();
        var handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        var log = Logger.getLogger("com.github.benmanes.caffeine.cache.LocalAsyncCache");
        log.addHandler(handler);
        try {
            assertThatThrownBy(() -> loads.get(1, _ -> {
                        throw new IllegalStateException("away");
                    }))
                    .hasMessage("away");
        } finally {
            log.removeHandler(handler);
        }
        assertThat(logged).isEmpty();
        assertThat(loads.get(1, _ -> "there")).isEqualTo("there");
    }

    @Test
    void others_that_wait_get_the_same_failure() throws Exception {
        var waiting = new CompletableFuture<Throwable>();
        assertThatThrownBy(() -> loads.get(1, _ -> {
                    var other = Thread.ofVirtual().start(() -> {
                        try {
                            loads.get(1, _ -> "read again");
                        } catch (RuntimeException e) {
                            waiting.complete(e);
                        }
                    });
                    await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
                    throw new IllegalArgumentException("away");
                }))
                .hasMessage("away");
        assertThat(waiting.get(60, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("away");
    }

    /// A client that leaves ends its own waits, see CancellableCall.
    @Test
    void an_interrupted_caller_ends_no_read_of_the_others() throws Exception {
        var begun = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        Function<Integer, String> load = _ -> {
            begun.countDown();
            try {
                goesOn.await();
                return "read";
            } catch (InterruptedException e) {
                throw new MongoInterruptedException("interrupted", e);
            }
        };
        var left = new CompletableFuture<Throwable>();
        var leaving = Thread.ofVirtual().start(() -> {
            try {
                loads.get(1, load);
            } catch (RuntimeException e) {
                left.complete(e);
            }
        });
        begun.await();
        var other = new CompletableFuture<String>();
        var staying = Thread.ofVirtual().start(() -> {
            try {
                other.complete(loads.get(1, load));
            } catch (RuntimeException e) {
                other.completeExceptionally(e);
            }
        });
        await().until(() -> staying.getState() == Thread.State.TIMED_WAITING);
        leaving.interrupt();
        assertThat(left.get(60, TimeUnit.SECONDS)).isInstanceOf(RuntimeException.class);
        goesOn.countDown();
        assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo("read");
    }
}
