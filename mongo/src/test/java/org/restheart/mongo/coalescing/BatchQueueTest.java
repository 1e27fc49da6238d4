package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.InlineCommand;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchCommand;

class BatchQueueTest {
    private static final ServerAddress SERVER = new ServerAddress("localhost");
    private static final Deployment UP = new Deployment(() -> deployment(true));

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final BatchLoad load = new BatchLoad();
    private final BatchMeters meters = new BatchMeters(new SimpleMeterRegistry(), "test");

    @AfterEach
    void stop() {
        threads.close();
        assertThat(load.requests()).as("requests under way").isZero();
    }

    private static CoalescingConfig limits(int commands, int maxBatch, int maxBytes, int maxQueued) {
        return limits(commands, maxBatch, maxBytes, maxQueued, Duration.ofMinutes(1));
    }

    private static CoalescingConfig limits(int commands, int maxBatch, int maxBytes, int maxQueued, Duration maxWait) {
        return new CoalescingConfig(
                true,
                true,
                true,
                true,
                commands,
                maxBatch,
                maxBytes,
                maxQueued,
                maxWait,
                10,
                Duration.ofMinutes(1),
                true,
                false);
    }

    private static ClusterDescription deployment(boolean up) {
        var server = server(SERVER, up, null);
        return new ClusterDescription(ClusterConnectionMode.SINGLE, server.getClusterType(), List.of(server));
    }

    private static ServerDescription server(ServerAddress address, boolean up, @Nullable Throwable failure) {
        return ServerDescription.builder()
                .address(address)
                .ok(up)
                .state(up ? ServerConnectionState.CONNECTED : ServerConnectionState.CONNECTING)
                .type(up ? ServerType.STANDALONE : ServerType.UNKNOWN)
                .exception(failure)
                .build();
    }

    private <R, O> BatchQueue<R, O> queue(CoalescingConfig limits, BatchCommand<R, O> command) {
        return new BatchQueue<>(command, limits, threads, UP, load, meters, System::nanoTime);
    }

    /// Lets a test hold the first command until others have queued behind it.
    private static final class Gate {
        final CountDownLatch sent = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);

        void pass() {
            sent.countDown();
            try {
                if (!open.await(10, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("gate stayed closed");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void a_request_alone_flies_alone() {
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            assertThat(batch).hasSize(1);
            batch.forEach(t -> t.complete(t.request() + 1));
        });
        assertThat(queue.submit(1, 1).join()).isEqualTo(2);
    }

    @Test
    void a_request_among_many_does_not_wait_for_a_slow_command() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(4, 10, 1000, 10), batch -> {
            if (batch.getFirst().request() == 1) {
                gate.pass();
            }
            batch.forEach(t -> t.complete(t.request()));
        });
        load.add(100, System.nanoTime()); // in other queues
        try {
            var slow = queue.submit(1, 1);
            assertThat(gate.sent.await(10, TimeUnit.SECONDS)).isTrue();
            var other = queue.submit(2, 1);
            assertThat(other.get(5, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(slow.isDone()).isFalse();
        } finally {
            gate.open.countDown();
            load.remove(100);
        }
    }

    @Test
    void requests_that_wait_leave_together_up_to_the_bounds() throws Exception {
        var gate = new Gate();
        var sizes = Collections.synchronizedList(new ArrayList<Integer>());
        var queue = this.<Integer, Integer>queue(limits(1, 3, 1000, 100), batch -> {
            gate.pass();
            sizes.add(batch.size());
            batch.forEach(t -> t.complete(t.request()));
        });
        var requests = new ArrayList<PendingRequest<Integer, Integer>>();
        requests.add(queue.submit(0, 1));
        gate.sent.await();
        for (int i = 1; i <= 7; i++) {
            requests.add(queue.submit(i, 1));
        }
        gate.open.countDown();
        for (int i = 0; i <= 7; i++) {
            assertThat(requests.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(i);
        }
        assertThat(sizes).containsExactly(1, 3, 3, 1);
    }

    @Test
    void a_command_for_several_callers_works_for_them_and_not_for_the_server() throws Exception {
        var gate = new Gate();
        var callers = Collections.synchronizedList(new ArrayList<List<String>>());
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 100), batch -> {
            callers.add(CallerScope.sharers());
            gate.pass();
            batch.forEach(t -> t.complete(t.request()));
        });
        CallerScope.run("a", () -> queue.submit(0, 1));
        gate.sent.await();
        PendingRequest<Integer, Integer> last = null;
        for (var caller : List.of("a", "b", "a", "c")) {
            last = CallerScope.call(caller, () -> queue.submit(1, 1));
        }
        gate.open.countDown();
        Objects.requireNonNull(last).get(10, TimeUnit.SECONDS);
        assertThat(callers).containsExactly(List.of("a"), List.of("a", "b", "c"));
    }

    /// A command of which threads that must not wait for long may run another form.
    private record WithBrief(BatchCommand<Integer, Thread> longer, BatchCommand<Integer, Thread> shorter)
            implements BatchCommand<Integer, Thread> {
        static final BatchCommand<Integer, Thread> COMPLETES =
                batch -> batch.forEach(pending -> pending.complete(Thread.currentThread()));

        static WithBrief of(BatchCommand<Integer, Thread> shorter) {
            return new WithBrief(COMPLETES, shorter);
        }

        @Override
        public void run(List<PendingRequest<Integer, Thread>> requests) {
            longer.run(requests);
        }

        @Override
        public Optional<BatchCommand<Integer, Thread>> inline() {
            return Optional.of(shorter);
        }
    }

    @Test
    void a_thread_runs_the_command_that_was_left_to_it_when_the_request_was_handled() throws Exception {
        var queue = queue(limits(4, 10, 1000, 10), WithBrief.of(WithBrief.COMPLETES));
        var inline = new InlineCommand();
        for (int i = 0; i < 2; i++) { // twice, so that the first one has left nothing behind
            var pending = inline.during(() -> queue.submit(1, 1));
            assertThat(pending).isNotDone();
            inline.run();
            assertThat(pending).isCompletedWithValue(Thread.currentThread());
        }
        assertThat(queue.submit(2, 1).get(10, TimeUnit.SECONDS)).isNotEqualTo(Thread.currentThread());
    }

    @Test
    void a_thread_runs_one_command_by_itself() throws Exception {
        var inline = new InlineCommand();
        var first = queue(limits(1, 10, 1000, 10), WithBrief.of(WithBrief.COMPLETES));
        var second = queue(limits(1, 10, 1000, 10), WithBrief.of(WithBrief.COMPLETES));
        var left = inline.during(() -> first.submit(1, 1));
        var other = inline.during(() -> second.submit(1, 1));
        assertThat(other.get(10, TimeUnit.SECONDS)).isNotEqualTo(Thread.currentThread());
        inline.run();
        assertThat(left).isCompletedWithValue(Thread.currentThread());
    }

    @Test
    void a_brief_command_that_fails_is_run_again_by_another_thread() throws Exception {
        var queue = queue(limits(1, 10, 1000, 10), WithBrief.of(_ -> {
            throw new IllegalStateException("takes too long");
        }));
        assertRunsElsewhere(queue);
    }

    @Test
    void a_brief_command_that_has_to_wait_for_a_connection_is_run_by_another_thread() throws Exception {
        var queue = queue(limits(1, 10, 1000, 10), WithBrief.of(batch -> {
            CallerScope.waits();
            WithBrief.COMPLETES.run(batch);
        }));
        assertRunsElsewhere(queue);
    }

    /// Twice, so that the first one has left nothing behind.
    private static void assertRunsElsewhere(BatchQueue<Integer, Thread> queue) throws Exception {
        for (int i = 0; i < 2; i++) {
            var inline = new InlineCommand();
            var pending = inline.during(() -> queue.submit(1, 1));
            inline.run();
            assertThat(pending.get(10, TimeUnit.SECONDS)).isNotNull().isNotEqualTo(Thread.currentThread());
        }
    }

    @Test
    void requests_that_come_during_a_brief_command_are_for_other_threads() throws Exception {
        var others = new ArrayList<PendingRequest<Integer, Thread>>();
        var queues = new ArrayList<BatchQueue<Integer, Thread>>();
        var queue = queue(limits(1, 1, 1000, 10), WithBrief.of(batch -> {
            others.add(queues.getFirst().submit(2, 1));
            others.add(queues.getFirst().submit(3, 1));
            WithBrief.COMPLETES.run(batch);
        }));
        queues.add(queue);
        var inline = new InlineCommand();
        var pending = inline.during(() -> queue.submit(1, 1));
        assertThat(pending).isNotDone();
        inline.run();
        assertThat(pending).isCompletedWithValue(Thread.currentThread());
        for (var other : others) {
            assertThat(other.get(10, TimeUnit.SECONDS)).isNotEqualTo(Thread.currentThread());
        }
    }

    /// A queue whose commands land when the test says so, and whose time passes when it says so.
    private final class SlowQueue implements BatchCommand<Integer, Integer> {
        final BlockingQueue<List<PendingRequest<Integer, Integer>>> sent = new LinkedBlockingQueue<>();
        final Semaphore landings = new Semaphore(0);
        final AtomicLong now = new AtomicLong();
        final BatchQueue<Integer, Integer> queue =
                new BatchQueue<>(this, limits(2, 100, 1000, 100), threads, UP, load, meters, now::get);

        @Override
        public boolean mayTakeLong() {
            return true;
        }

        @Override
        public void run(List<PendingRequest<Integer, Integer>> batch) {
            sent.add(batch);
            landings.acquireUninterruptibly();
            batch.forEach(pending -> pending.complete(pending.request()));
        }

        void submit(int count) {
            for (int i = 0; i < count; i++) {
                queue.submit(i, 1);
            }
        }

        void assertDeparts(int size) throws InterruptedException {
            assertThat(sent.poll(10, TimeUnit.SECONDS)).hasSize(size);
        }

        void assertNothingDeparts() throws InterruptedException {
            assertThat(sent.poll(100, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    @Test
    void a_few_requests_fly_side_by_side() throws Exception {
        var slow = new SlowQueue();
        slow.submit(1);
        slow.assertDeparts(1);
        slow.submit(1);
        slow.assertDeparts(1);
        slow.submit(1);
        slow.assertNothingDeparts(); // both commands are under way
        slow.landings.release(3);
        slow.assertDeparts(1);
    }

    @Test
    void large_batches_are_sent_one_after_the_other_unless_a_command_takes_long() throws Exception {
        var slow = new SlowQueue();
        slow.submit(1);
        slow.assertDeparts(1);
        slow.submit(1);
        slow.assertDeparts(1);
        slow.submit(20);
        slow.landings.release(1);
        slow.assertDeparts(20);
        slow.landings.release(1); // of the two still under way, whichever lands first
        slow.submit(5);
        slow.assertNothingDeparts();
        slow.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(11));
        slow.submit(1);
        slow.assertDeparts(6);
        slow.landings.release(10);
    }

    @Test
    void commands_that_take_seconds_keep_no_others_from_running() throws Exception {
        var slow = new SlowQueue();
        try {
            slow.submit(1);
            slow.assertDeparts(1);
            slow.submit(1);
            slow.assertDeparts(1); // as many as may run
            slow.submit(1);
            slow.assertNothingDeparts();
            slow.now.addAndGet(TimeUnit.SECONDS.toNanos(4));
            slow.assertDeparts(1);
            slow.submit(1);
            slow.assertDeparts(1);
            slow.submit(1);
            slow.assertNothingDeparts();
        } finally {
            slow.landings.release(10);
        }
        slow.assertDeparts(1);
    }

    @Test
    void a_few_requests_wait_for_each_other_while_many_are_under_way_in_other_queues() throws Exception {
        var slow = new SlowQueue();
        load.add(100, slow.now.get()); // in other queues
        slow.submit(1);
        slow.assertDeparts(1);
        slow.submit(2);
        slow.assertNothingDeparts();
        slow.landings.release(1);
        slow.assertDeparts(2);
        load.remove(100);
        slow.submit(3);
        slow.assertNothingDeparts(); // there were many a moment ago
        slow.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(11));
        slow.submit(1);
        slow.assertDeparts(4);
        slow.submit(1);
        slow.landings.release(2);
        slow.assertDeparts(1);
        slow.landings.release(1);
    }

    @Test
    void a_batch_is_bounded_in_bytes_but_a_large_request_flies_alone() throws Exception {
        var gate = new Gate();
        var batches = Collections.synchronizedList(new ArrayList<List<Integer>>());
        var queue = this.<Integer, Integer>queue(limits(1, 10, 100, 100), batch -> {
            gate.pass();
            batches.add(batch.stream().map(PendingRequest::request).toList());
            batch.forEach(t -> t.complete(t.request()));
        });
        queue.submit(0, 1);
        gate.sent.await();
        queue.submit(1, 60);
        queue.submit(2, 60);
        queue.submit(3, 500);
        var last = queue.submit(4, 10);
        gate.open.countDown();
        last.get(10, TimeUnit.SECONDS);
        assertThat(batches).containsExactly(List.of(0), List.of(1), List.of(2), List.of(3), List.of(4));
    }

    @Test
    void a_full_queue_refuses() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 2), batch -> {
            gate.pass();
            batch.forEach(t -> t.complete(t.request()));
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
    void who_waits_too_long_is_refused_and_the_queue_goes_on() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10, Duration.ofMillis(50)), batch -> {
            gate.pass();
            batch.forEach(t -> t.complete(t.request()));
        });
        var underWay = queue.submit(0, 1);
        gate.sent.await();
        var late = queue.submit(1, 1);
        assertThatThrownBy(() -> late.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(503));
        gate.open.countDown();
        assertThat(underWay.get(10, TimeUnit.SECONDS)).isZero();
        assertThat(queue.submit(2, 1).get(10, TimeUnit.SECONDS)).isEqualTo(2);
    }

    /// Also one that has waited for a connection, beside which others may run.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_command_whose_server_is_gone_is_given_up_and_the_queue_goes_on_beside_it(boolean waits) throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var stuck = new StuckQueue(
                states,
                () -> {
                    if (waits) {
                        CallerScope.waits();
                    }
                    ServerOfCommand.asked(SERVER);
                },
                System::nanoTime);
        var behind = stuck.queue.submit(1, 1);
        states.set(deployment(false));
        assertThatThrownBy(() -> stuck.pending.get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().status()).isEqualTo(503);
                    assertThat(e.problem().headers().first("Retry-After")).isPresent();
                });
        assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        stuck.gate.open.countDown();
        assertThat(stuck.queue.submit(2, 1).get(30, TimeUnit.SECONDS)).isEqualTo(2);
    }

    /// A heartbeat that timed out tells that the server is silent: on the queue's clock, no time has passed.
    @Test
    void a_command_whose_server_is_silent_is_given_up_as_soon_as_the_driver_knows() throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var stuck = new StuckQueue(states, () -> ServerOfCommand.asked(SERVER), () -> 0);
        states.set(silent());
        assertThatThrownBy(() -> stuck.pending.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(ProblemException.class);
        stuck.gate.open.countDown();
    }

    /// Another server has failed; or its connection has broken, and the driver selects a server for the next attempt.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_command_that_waits_for_no_failed_server_is_not_given_up(boolean selects) throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var looks = new CountDownLatch(10);
        var time = new AtomicLong();
        var stuck = new StuckQueue(
                states,
                () -> {
                    ServerOfCommand.asked(selects ? SERVER : new ServerAddress("localhost", 1));
                    if (selects) {
                        ServerOfCommand.left();
                    }
                },
                () -> {
                    looks.countDown();
                    return time.addAndGet(TimeUnit.SECONDS.toNanos(2));
                });
        states.set(silent());
        assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(stuck.pending).isNotDone();
        stuck.gate.open.countDown();
        assertThat(stuck.pending.get(30, TimeUnit.SECONDS)).isZero();
    }

    /// One server of two has not answered a heartbeat in time.
    private static ClusterDescription silent() {
        var timeout = new MongoSocketReadTimeoutException("", SERVER, new SocketTimeoutException());
        return new ClusterDescription(
                ClusterConnectionMode.MULTIPLE,
                ClusterType.REPLICA_SET,
                List.of(server(SERVER, false, timeout), server(new ServerAddress("localhost", 1), true, null)));
    }

    /// A queue whose first command is stuck until the gate opens.
    private final class StuckQueue {
        final Gate gate = new Gate();
        final BatchQueue<Integer, Integer> queue;
        final PendingRequest<Integer, Integer> pending;

        StuckQueue(AtomicReference<ClusterDescription> states, Runnable before, LongSupplier clock)
                throws InterruptedException {
            queue = new BatchQueue<>(
                    batch -> {
                        if (batch.getFirst().request() == 0) {
                            before.run();
                            gate.pass();
                        }
                        batch.forEach(t -> t.complete(t.request()));
                    },
                    limits(1, 10, 1000, 10),
                    threads,
                    new Deployment(states::get),
                    load,
                    meters,
                    clock);
            pending = queue.submit(0, 1);
            gate.sent.await();
        }
    }

    @Test
    void a_cancelled_request_never_leaves() throws Exception {
        var gate = new Gate();
        var flown = new ConcurrentLinkedQueue<Integer>();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            gate.pass();
            batch.forEach(t -> {
                flown.add(t.request());
                t.complete(t.request());
            });
        });
        queue.submit(0, 1);
        gate.sent.await();
        var cancelled = queue.submit(1, 1);
        var kept = queue.submit(2, 1);
        cancelled.cancel(false);
        gate.open.countDown();
        kept.get(10, TimeUnit.SECONDS);
        assertThat(flown).containsExactly(0, 2);
    }

    @Test
    void a_failed_command_fails_its_own_requests_and_the_queue_goes_on() {
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10), batch -> {
            if (batch.getFirst().request() < 0) {
                throw new IllegalArgumentException("no");
            }
            batch.forEach(t -> t.complete(t.request()));
        });
        assertThatThrownBy(queue.submit(-1, 1)::join).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(queue.submit(1, 1).join()).isEqualTo(1);
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
            batch.forEach(t -> t.complete(-t.request()));
        });
        int clients = 64;
        int each = 2_000;
        var wrong = new AtomicInteger();
        var answered = new AtomicInteger();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int c = 0; c < clients; c++) {
                callers.execute(() -> {
                    for (int i = 0; i < each; i++) {
                        long stamp = clock.incrementAndGet();
                        if (queue.submit(stamp, 1).join() != -stamp) {
                            wrong.incrementAndGet();
                        }
                        answered.incrementAndGet();
                    }
                });
            }
        }
        assertThat(wrong).hasValue(0);
        assertThat(answered).hasValue(clients * each);
    }
}
