package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.access.CallerScope;

/// One caller that holds all it may leaves memory for others.
class LeaseTest {
    /// Half of a hundred is more than what a lease may have that is alone.
    private static final int UNIT = 4 << 20;

    private static final String A = CallerScope.account("a");
    private static final String B = CallerScope.account("b");

    /// Besides, an eighth is for what is under way.
    private final MemoryBudget memory = new MemoryBudget(100L * UNIT * 8 / 7);

    private Lease open(String caller) {
        return memory.open(() -> caller);
    }

    private static int fill(Lease lease) {
        int held = 0;
        while (lease.tryHold(UNIT)) {
            held++;
        }
        return held;
    }

    private int free(String caller) {
        try (var lease = open(caller)) {
            return fill(lease);
        }
    }

    @Test
    void a_caller_holds_half_and_the_next_one_a_part_of_the_rest() {
        try (var first = open(A);
                var further = open(A);
                var second = open(B)) {
            assertThat(fill(first)).isBetween(46, 47); // but for what is too small to be counted
            assertThat(further.tryHold(2 * UNIT)).isFalse();
            assertThat(fill(second)).isBetween(23, 24);
        }
    }

    /// A command has read for it, and nobody else holds anything.
    @Test
    void what_a_lease_has_joined_is_its_own() {
        var small = new MemoryBudget(10L * UNIT);
        try (var alone = small.open(() -> A);
                var command = alone.another(List.of(A))) {
            assertThat(command.tryHold(4 * UNIT)).isTrue();
            assertThat(alone.tryJoin(command)).isTrue();
            assertThat(alone.tryHold(10 * UNIT)).isTrue();
            assertThat(alone.tryHold(4 * UNIT)).isTrue();
            assertThat(alone.tryHold(10 * UNIT))
                    .as("more than the largest document")
                    .isFalse();
            assertThat(small.open(() -> B).tryHold(UNIT)).isFalse();
        }
    }

    /// However small the heap: otherwise it could never be read.
    @Test
    void a_lease_that_is_alone_may_have_what_the_largest_document_needs() {
        var small = new MemoryBudget(10L * UNIT);
        try (var alone = small.open(() -> A);
                var other = small.open(() -> B)) {
            alone.hold(4L * UNIT);
            alone.hold(20L * UNIT);
            assertThat(alone.tryHold(UNIT)).isFalse();
            assertThat(other.tryHold(UNIT)).isFalse();
        }
    }

    /// Such as what a request needs while it waits for what a command reads for it.
    @Test
    void a_little_that_is_held_besides_does_not_matter() {
        var small = new MemoryBudget(10L * UNIT);
        try (var request = small.open(() -> A);
                var other = small.open(() -> B);
                var command = request.another(List.of(A))) {
            request.hold(8 << 10);
            other.hold(8 << 10);
            assertThat(command.tryHold(20L * UNIT)).isTrue();
            assertThat(request.tryHold(UNIT)).isFalse();
        }
    }

    @Test
    void what_is_closed_is_given_back() {
        try (var first = open(A)) {
            fill(first);
        }
        assertThat(free(B)).isBetween(46, 47);
    }

    @Test
    void the_server_is_not_refused() {
        try (var first = open(A);
                var server = open(CallerScope.SERVER)) {
            fill(first);
            assertThat(server.tryHold(200L * UNIT)).isTrue();
        }
    }

    @Test
    void an_estimate_is_corrected_even_beyond_the_share() {
        try (var lease = open(A)) {
            lease.hold(10L * UNIT);
            lease.correct(10L * UNIT, 80L * UNIT);
            assertThat(free(B)).isLessThan(15);
            lease.correct(80L * UNIT, 0);
            assertThat(free(B)).isBetween(46, 47);
        }
    }

    @Test
    void memory_is_kept_until_the_last_that_works_for_a_request_has_ended() {
        int before = free(B);
        var lease = open(A);
        lease.hold(20L * UNIT);
        assertThat(lease.tryRetain()).isTrue();
        lease.close();
        assertThat(free(B)).isLessThan(before);
        lease.close();
        assertThat(free(B)).isEqualTo(before);
        assertThat(lease.tryRetain()).isFalse();
        assertThat(lease.tryHold(1)).as("after the end").isFalse();
        lease.close();
        assertThat(free(B)).isEqualTo(before);
    }

    /// Whoever ends first, also where both are of one caller.
    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void what_leases_share_counts_once_in_total_and_fully_for_each_caller(String other) {
        int before = free(CallerScope.account("c"));
        var shared = memory.open(List.of(A));
        var first = open(A);
        var second = open(CallerScope.account(other));
        shared.hold(40L * UNIT);
        assertThat(first.tryJoin(shared)).isTrue();
        assertThat(second.tryJoin(shared)).isTrue();
        assertThat(second.tryJoin(shared)).isTrue();
        shared.close();
        assertThat(free(A)).as("of its share").isLessThan(15);
        assertThat(free(CallerScope.account(other))).isLessThan(15);
        assertThat(free(CallerScope.account("c"))).isBetween(25, 28);
        first.close();
        assertThat(free(CallerScope.account(other))).isLessThan(15);
        second.close();
        assertThat(free(CallerScope.account("c"))).isEqualTo(before);
    }

    @Test
    void a_caller_joins_nothing_that_is_more_than_its_share() {
        try (var shared = memory.open(List.of(A));
                var own = open(B);
                var joining = open(B)) {
            shared.hold(30L * UNIT);
            own.hold(20L * UNIT);
            assertThat(joining.tryJoin(shared)).isFalse();
        }
    }

    @Test
    void content_needs_a_lease_that_holds_it() {
        try (var other = open(A);
                var lease = open(A)) {
            other.hold(40L * UNIT);
            var content = Content.Bytes.of(new byte[2 * UNIT], lease);
            assertThat(content.lease()).isSameAs(lease);
            assertThat(free(B)).isLessThan(30);
            assertThatThrownBy(() -> Content.Bytes.of(new byte[8 * UNIT], lease))
                    .isInstanceOfSatisfying(ProblemException.class, e -> {
                        assertThat(e.problem().status()).isEqualTo(503);
                        assertThat(e.problem().headers().first("Retry-After")).isPresent();
                    });
        }
    }

    @Test
    void a_request_waits_for_memory_and_goes_on_when_there_is_some() throws Exception {
        var first = open(A);
        fill(first);
        try (var second = open(A)) {
            var waiting = CompletableFuture.runAsync(() -> second.await(40L * UNIT));
            assertThat(second.tryHold(40L * UNIT)).isFalse();
            assertThat(waiting).isNotDone();
            first.close();
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(free(A)).isLessThan(15);
        }
    }

    /// Others may do the same.
    @Test
    void who_holds_memory_does_not_wait_for_more() {
        try (var first = open(A);
                var second = open(A)) {
            second.hold(UNIT);
            fill(first);
            assertThatThrownBy(() -> second.await(80L * UNIT)).isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void nobody_waits_for_the_memory_of_a_client_that_has_gone() {
        try (var first = open(A);
                var second = memory.open(() -> A, () -> true)) {
            fill(first);
            assertThatThrownBy(() -> second.await(40L * UNIT)).isInstanceOf(ProblemException.class);
            assertThatThrownBy(() -> second.awaitContinue(90L * UNIT)).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void content_that_nobody_owns_is_small() {
        assertThat(Content.Bytes.small(new byte[Lease.SMALL]).length()).isEqualTo(Lease.SMALL);
        assertThatThrownBy(() -> Content.Bytes.small(new byte[Lease.SMALL + 1]))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void all_parts_together_leave_a_third_of_the_heap() {
        int percent = 0;
        for (var part : MemoryBudget.Part.values()) {
            percent += part.percent();
        }
        assertThat(percent).isBetween(60, 70);
    }
}
