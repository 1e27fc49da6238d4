package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.restheart.http.InlineCommand;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchCommand;

class InlineBatchCommandTest extends BatchQueueFixture {
    /// A command of which threads that must not wait for long may run another form.
    private record WithInlineForm(BatchCommand<Integer, Thread> usual, BatchCommand<Integer, Thread> inlineForm)
            implements BatchCommand<Integer, Thread> {
        static final BatchCommand<Integer, Thread> COMPLETES =
                batch -> batch.forEach(pending -> pending.complete(Thread.currentThread(), 1));

        static WithInlineForm of(BatchCommand<Integer, Thread> inlineForm) {
            return new WithInlineForm(COMPLETES, inlineForm);
        }

        @Override
        public void run(List<PendingRequest<Integer, Thread>> requests) {
            usual.run(requests);
        }

        @Override
        public Optional<BatchCommand<Integer, Thread>> inline() {
            return Optional.of(inlineForm);
        }
    }

    @Test
    void a_thread_runs_the_command_that_was_left_to_it_when_the_request_was_handled() throws Exception {
        var queue = queue(limits(4, 10, 1000, 10), WithInlineForm.of(WithInlineForm.COMPLETES));
        var inline = new InlineCommand();
        for (int i = 0; i < 2; i++) { // twice, so that the first one has left nothing behind
            var pending = inline.during(() -> queue.submit(1, 1));
            assertThat(pending).isNotDone();
            inline.run();
            assertThat(pending).isCompletedWithValue(new BatchResult<>(Thread.currentThread(), 1));
        }
        assertThat(queue.submit(2, 1).get(60, TimeUnit.SECONDS).outcome()).isNotEqualTo(Thread.currentThread());
    }

    @Test
    void a_thread_runs_one_command_by_itself() throws Exception {
        var inline = new InlineCommand();
        var first = queue(limits(1, 10, 1000, 10), WithInlineForm.of(WithInlineForm.COMPLETES));
        var second = queue(limits(1, 10, 1000, 10), WithInlineForm.of(WithInlineForm.COMPLETES));
        var left = inline.during(() -> first.submit(1, 1));
        var other = inline.during(() -> second.submit(1, 1));
        assertThat(other.get(60, TimeUnit.SECONDS).outcome()).isNotEqualTo(Thread.currentThread());
        inline.run();
        assertThat(left).isCompletedWithValue(new BatchResult<>(Thread.currentThread(), 1));
    }

    @Test
    void an_inline_command_that_fails_is_run_again_by_another_thread() throws Exception {
        var queue = queue(limits(1, 10, 1000, 10), WithInlineForm.of(_ -> {
            throw new IllegalStateException("takes too long");
        }));
        assertRunsOnAnotherThread(queue);
    }

    @Test
    void an_inline_command_that_has_to_wait_for_a_connection_is_run_by_another_thread() throws Exception {
        var queue = queue(limits(1, 10, 1000, 10), WithInlineForm.of(batch -> {
            CallerScope.waits();
            WithInlineForm.COMPLETES.run(batch);
        }));
        assertRunsOnAnotherThread(queue);
    }

    @Test
    void requests_that_come_during_an_inline_command_are_for_other_threads() throws Exception {
        var others = new ArrayList<PendingRequest<Integer, Thread>>();
        var queues = new ArrayList<BatchQueue<Integer, Thread>>();
        var queue = queue(limits(1, 1, 1000, 10), WithInlineForm.of(batch -> {
            others.add(queues.getFirst().submit(2, 1));
            others.add(queues.getFirst().submit(3, 1));
            WithInlineForm.COMPLETES.run(batch);
        }));
        queues.add(queue);
        var inline = new InlineCommand();
        var pending = inline.during(() -> queue.submit(1, 1));
        assertThat(pending).isNotDone();
        inline.run();
        assertThat(pending).isCompletedWithValue(new BatchResult<>(Thread.currentThread(), 1));
        for (var other : others) {
            assertThat(other.get(60, TimeUnit.SECONDS).outcome()).isNotEqualTo(Thread.currentThread());
        }
    }

    /// Twice, so that the first one has left nothing behind.
    private static void assertRunsOnAnotherThread(BatchQueue<Integer, Thread> queue) throws Exception {
        for (int i = 0; i < 2; i++) {
            var inline = new InlineCommand();
            var pending = inline.during(() -> queue.submit(1, 1));
            inline.run();
            assertThat(pending.get(60, TimeUnit.SECONDS).outcome()).isNotNull().isNotEqualTo(Thread.currentThread());
        }
    }
}
