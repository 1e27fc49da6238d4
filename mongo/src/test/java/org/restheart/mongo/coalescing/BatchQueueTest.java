package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;

class BatchQueueTest extends BatchQueueFixture {
    @Test
    void a_request_alone_is_sent_alone() {
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            assertThat(batch).hasSize(1);
            batch.forEach(t -> t.complete(t.request() + 1, 1));
        });
        assertThat(queue.submit(1, 1).join().outcome()).isEqualTo(2);
    }

    @Test
    void requests_that_wait_are_sent_together_up_to_the_bounds() throws Exception {
        var gate = new Gate();
        var sizes = Collections.synchronizedList(new ArrayList<Integer>());
        var queue = this.<Integer, Integer>queue(limits(1, 3, 1000, 100), batch -> {
            gate.pass();
            sizes.add(batch.size());
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        var requests = new ArrayList<PendingRequest<Integer, Integer>>();
        requests.add(queue.submit(0, 1));
        gate.sent.await();
        for (int i = 1; i <= 7; i++) {
            requests.add(queue.submit(i, 1));
        }
        gate.open.countDown();
        for (int i = 0; i <= 7; i++) {
            assertThat(requests.get(i).get(60, TimeUnit.SECONDS).outcome()).isEqualTo(i);
        }
        assertThat(sizes).containsExactly(1, 3, 3, 1);
    }

    @Test
    void a_batch_is_bounded_in_bytes_but_a_large_request_is_sent_alone() throws Exception {
        var gate = new Gate();
        var batches = Collections.synchronizedList(new ArrayList<List<Integer>>());
        var queue = this.<Integer, Integer>queue(limits(1, 10, 100, 100), batch -> {
            gate.pass();
            batches.add(batch.stream().map(PendingRequest::request).toList());
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        queue.submit(0, 1);
        gate.sent.await();
        queue.submit(1, 60);
        queue.submit(2, 60);
        queue.submit(3, 500);
        var last = queue.submit(4, 10);
        gate.open.countDown();
        last.get(60, TimeUnit.SECONDS);
        assertThat(batches).containsExactly(List.of(0), List.of(1), List.of(2), List.of(3), List.of(4));
    }

    @Test
    void a_command_for_several_callers_works_for_them_and_not_for_the_server() throws Exception {
        var gate = new Gate();
        var callers = Collections.synchronizedList(new ArrayList<List<String>>());
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 100), batch -> {
            callers.add(CallerScope.sharers());
            gate.pass();
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        CallerScope.run("a", () -> queue.submit(0, 1));
        gate.sent.await();
        PendingRequest<Integer, Integer> last = null;
        for (var caller : List.of("a", "b", "a", "c")) {
            last = CallerScope.call(caller, () -> queue.submit(1, 1));
        }
        gate.open.countDown();
        Objects.requireNonNull(last).get(60, TimeUnit.SECONDS);
        assertThat(callers).containsExactly(List.of("a"), List.of("a", "b", "c"));
    }

    /// It may have waited for something else before, such as the definition of its collection.
    @Test
    void the_time_of_a_request_counts_from_its_beginning() {
        var left = new ConcurrentLinkedQueue<Duration>();
        var queue = this.<Integer, Integer>queue(
                limits(1, 10, 1000, 10),
                batch -> batch.forEach(pending -> {
                    left.add(RequestStart.left(Duration.ofMinutes(2)));
                    pending.completeElsewhere(() -> {
                        left.add(RequestStart.left(Duration.ofMinutes(2)));
                        return new BatchResult<>(pending.request(), 1);
                    });
                }));
        var pending = new AtomicReference<PendingRequest<Integer, Integer>>();
        RequestStart.during(
                System.nanoTime() - Duration.ofSeconds(50).toNanos(), () -> pending.set(queue.submit(1, 1)));
        assertThat(pending.get().join().outcome()).isOne();
        assertThat(left).hasSize(2).allMatch(rest -> rest.toSeconds() <= 70);
    }

    @Test
    void who_has_waited_before_waits_in_the_queue_for_the_rest_of_its_time() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            gate.pass();
            batch.forEach(pending -> pending.complete(pending.request(), 1));
        });
        var first = queue.submit(0, 1);
        gate.sent.await();
        var later = queue.submit(1, 1);
        var late = new AtomicReference<PendingRequest<Integer, Integer>>();
        RequestStart.during(System.nanoTime() - Duration.ofMinutes(2).toNanos(), () -> late.set(queue.submit(2, 1)));
        assertThat(queue.check()).isPositive();
        assertThat(late.get())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(ProblemException.class);
        gate.open.countDown();
        assertThat(first.join().outcome()).isZero();
        assertThat(later.join().outcome()).isOne();
    }

    @Test
    void a_full_queue_refuses() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 2), batch -> {
            gate.pass();
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        queue.submit(0, 1);
        gate.sent.await();
        queue.submit(1, 1);
        queue.submit(2, 1);
        assertThatThrownBy(() -> queue.submit(3, 1)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().status()).isEqualTo(503);
            assertThat(e.problem().headers().first("Retry-After")).contains("1");
        });
        gate.open.countDown();
    }

    @Test
    void a_cancelled_request_is_never_sent() throws Exception {
        var gate = new Gate();
        var sent = new ConcurrentLinkedQueue<Integer>();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            gate.pass();
            batch.forEach(t -> {
                sent.add(t.request());
                t.complete(t.request(), 1);
            });
        });
        queue.submit(0, 1);
        gate.sent.await();
        var cancelled = queue.submit(1, 1);
        var kept = queue.submit(2, 1);
        cancelled.cancel(false);
        gate.open.countDown();
        kept.get(60, TimeUnit.SECONDS);
        assertThat(sent).containsExactly(0, 2);
    }

    @Test
    void a_failed_command_fails_its_own_requests_and_the_queue_goes_on() {
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            if (batch.getFirst().request() < 0) {
                throw new IllegalArgumentException("no");
            }
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        assertThatThrownBy(queue.submit(-1, 1)::join).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(queue.submit(1, 1).join().outcome()).isEqualTo(1);
    }

    @Test
    void an_outcome_that_a_command_forgets_is_an_error_not_a_hang() {
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), _ -> {});
        assertThatThrownBy(queue.submit(1, 1)::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void under_stress_nothing_is_lost_or_crossed_and_commands_start_after_their_requests() {
        var clock = new AtomicLong();
        var running = new AtomicInteger();
        var queue = this.<Long, Long>queue(limits(3, 16, 1 << 20, 1_000_000), batch -> {
            assertThat(running.incrementAndGet()).isLessThanOrEqualTo(3);
            long start = clock.incrementAndGet();
            for (var pending : batch) {
                assertThat(start).isGreaterThan(pending.request());
            }
            running.decrementAndGet();
            batch.forEach(t -> t.complete(-t.request(), 1));
        });
        int clients = 64;
        int each = 2_000;
        var wrong = new AtomicInteger();
        var answered = new AtomicInteger();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int c = 0; c < clients; c++) {
                callers.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        long stamp = clock.incrementAndGet();
                        // one of a lost batch is not answered at all
                        if (queue.submit(stamp, 1).get(60, TimeUnit.SECONDS).outcome() != -stamp) {
                            wrong.incrementAndGet();
                        }
                        answered.incrementAndGet();
                    }
                    return null;
                });
            }
        }
        assertThat(wrong).hasValue(0);
        assertThat(answered).hasValue(clients * each);
    }
}
