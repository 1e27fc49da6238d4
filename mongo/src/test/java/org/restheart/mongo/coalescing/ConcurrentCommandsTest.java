package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.coalescing.Batching.BatchCommand;

class ConcurrentCommandsTest extends BatchQueueFixture {
    /// A queue whose commands end, and whose time passes, when the test says so.
    private final class SlowQueue implements BatchCommand<Integer, Integer> {
        final BlockingQueue<List<PendingRequest<Integer, Integer>>> sent = new LinkedBlockingQueue<>();
        final Semaphore ends = new Semaphore(0);
        final AtomicLong now = new AtomicLong();
        final BatchQueue<Integer, Integer> queue = queue(limits(2, 100, 1000, 100), this, now::get);

        @Override
        public boolean mayTakeLong() {
            return true;
        }

        @Override
        public void run(List<PendingRequest<Integer, Integer>> batch) {
            sent.add(batch);
            ends.acquireUninterruptibly();
            batch.forEach(pending -> pending.complete(pending.request(), 1));
        }

        void submit(int count) {
            for (int i = 0; i < count; i++) {
                queue.submit(i, 1);
            }
        }

        void assertSent(int size) throws InterruptedException {
            assertThat(sent.poll(60, TimeUnit.SECONDS)).hasSize(size);
        }

        void assertNothingSent() throws InterruptedException {
            assertThat(sent.poll(100, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    @Test
    void a_few_commands_run_side_by_side() throws Exception {
        var slow = new SlowQueue();
        slow.submit(1);
        slow.assertSent(1);
        slow.submit(1);
        slow.assertSent(1);
        slow.submit(1);
        slow.assertNothingSent(); // both commands are under way
        slow.ends.release(3);
        slow.assertSent(1);
    }

    @Test
    void a_request_among_many_does_not_wait_for_a_slow_command() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(4, 10, 1000, 10), batch -> {
            if (batch.getFirst().request() == 1) {
                gate.pass();
            }
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        load.add(100, System.nanoTime()); // in other queues
        try {
            var slow = queue.submit(1, 1);
            assertThat(gate.sent.await(60, TimeUnit.SECONDS)).isTrue();
            var other = queue.submit(2, 1);
            assertThat(other.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(2);
            assertThat(slow.isDone()).isFalse();
        } finally {
            gate.open.countDown();
            load.remove(100);
        }
    }

    @Test
    void large_batches_are_sent_one_after_the_other_unless_a_command_takes_long() throws Exception {
        var slow = new SlowQueue();
        slow.submit(1);
        slow.assertSent(1);
        slow.submit(1);
        slow.assertSent(1);
        slow.submit(20);
        slow.ends.release(1);
        slow.assertSent(20);
        slow.ends.release(1); // of the two still under way, whichever ends first
        slow.submit(5);
        slow.assertNothingSent();
        slow.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(11));
        slow.submit(1);
        slow.assertSent(6);
        slow.ends.release(10);
    }

    @Test
    void commands_that_take_seconds_keep_no_others_from_running() throws Exception {
        var slow = new SlowQueue();
        try {
            slow.submit(1);
            slow.assertSent(1);
            slow.submit(1);
            slow.assertSent(1); // as many as may run
            slow.submit(1);
            slow.assertNothingSent();
            slow.now.addAndGet(TimeUnit.SECONDS.toNanos(4));
            slow.assertSent(1);
            slow.submit(1);
            slow.assertSent(1);
            slow.submit(1);
            slow.assertNothingSent();
        } finally {
            slow.ends.release(10);
        }
        slow.assertSent(1);
    }

    @Test
    void a_few_requests_wait_for_each_other_while_many_are_under_way_in_other_queues() throws Exception {
        var slow = new SlowQueue();
        load.add(100, slow.now.get()); // in other queues
        slow.submit(1);
        slow.assertSent(1);
        slow.submit(2);
        slow.assertNothingSent();
        slow.ends.release(1);
        slow.assertSent(2);
        load.remove(100);
        slow.submit(3);
        slow.assertNothingSent(); // there were many a moment ago
        slow.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(11));
        slow.submit(1);
        slow.assertSent(4);
        slow.submit(1);
        slow.ends.release(2);
        slow.assertSent(1);
        slow.ends.release(1);
    }
}
