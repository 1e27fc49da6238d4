package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.ResponseStream.SubscriptionEnded;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// One caller whose results take all the memory it may have leaves memory for the results of others.
class ResultMemoryTest {
    private static final int PART = 4 << 20;

    private final MemoryBudget budget = new MemoryBudget(100L * PART);
    private final ResultMemory memory = new ResultMemory(PART, budget);

    private ResultMemory.Share open(String caller) {
        return CallerScope.call(CallerScope.account(caller), memory::open);
    }

    private int fill(String caller, List<ResultMemory.Share> held) {
        for (int results = 0; ; results++) {
            var share = open(caller);
            held.add(share);
            Thread.currentThread().interrupt(); // it waits for nothing
            try {
                share.hold(PART, () -> {});
            } catch (ProblemException e) {
                assertThat(e.problem().status()).isEqualTo(503);
                return results;
            } finally {
                var _ = Thread.interrupted();
            }
        }
    }

    @Test
    void results_of_one_caller_leave_memory_for_those_of_another() {
        var held = new ArrayList<ResultMemory.Share>();
        try {
            int first = fill("ada", held);
            int second = fill("bob", held);
            assertThat(first).isGreaterThan(10);
            assertThat(second).isBetween(first / 4, first);
        } finally {
            held.forEach(ResultMemory.Share::close);
        }
    }

    @Test
    void a_result_that_holds_little_waits_for_memory_as_pages_do() {
        var others = budget.open(() -> CallerScope.SERVER);
        assertThat(others.tryHold(100L * PART)).isTrue();
        try (var share = open("ada")) {
            share.hold(PART, others::close);
            assertThatThrownBy(() -> share.hold(PART, () -> {})).hasMessageContaining("the response is larger");
        }
    }

    @Test
    void the_result_waits_too_until_it_can_be_sent() {
        var others = budget.open(() -> CallerScope.SERVER);
        assertThat(others.tryHold(100L * PART)).isTrue();
        try (var lease = budget.open(() -> CallerScope.account("ada"))) {
            CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS).execute(others::close);
            assertThat(new QueryOutcome(200, new byte[PART]).response(lease).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void events_are_of_the_memory_of_whose_result_they_become() throws Exception {
        int bytes = 100_000;
        var isOwned = new CompletableFuture<Boolean>();
        var backlog = new Backlog(10, PART);
        var source = new Subscription(Transport.SSE, backlog, Duration.ZERO, _ -> {}, () -> {});
        var execution = new ResponseStream.Execution() {
            @Override
            public ResultMemory.Share open() {
                return memory.open();
            }

            @Override
            public QueryOutcome execute(SourceEvent event, ResultMemory.Share share) throws SubscriptionEnded {
                isOwned.complete(share.lease().isBeyondShare(budget.share() - bytes));
                throw new SubscriptionEnded(Ending.REDEFINED);
            }
        };
        new ResponseStream(source, execution, new NoReceiver()).start();
        var json = "{\"t\": \"" + "x".repeat(bytes) + "\"}";
        backlog.offer(new Message("7", json.getBytes(StandardCharsets.UTF_8), 0).framed(Transport.SSE));
        assertThat(isOwned.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private static final class NoReceiver implements ResponseStream.Receiver {
        @Override
        public void began(Frame position) {}

        @Override
        public void next(SourceEvent event, QueryOutcome result, long since) {}

        @Override
        public void ended(Ending why) {}
    }
}
