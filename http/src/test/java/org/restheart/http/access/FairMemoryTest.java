package org.restheart.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// One caller that holds all it may leaves memory for others.
class FairMemoryTest {
    private static final int MIB = 1 << 20;

    private static final String A = CallerScope.account("a");
    private static final String B = CallerScope.account("b");

    private final FairMemory memory = new FairMemory(100L * MIB);

    private static int fill(FairMemory.Share share) {
        int held = 0;
        while (share.add(MIB)) {
            held++;
        }
        return held;
    }

    @Test
    void a_caller_holds_half_and_the_next_one_a_part_of_the_rest() {
        try (var first = memory.open(A);
                var further = memory.open(A);
                var second = memory.open(B)) {
            assertThat(fill(first)).isEqualTo(50);
            assertThat(further.add(MIB)).isFalse();
            assertThat(fill(second)).isEqualTo(25);
        }
    }

    @Test
    void what_is_closed_is_given_back() {
        try (var first = memory.open(A)) {
            fill(first);
        }
        try (var second = memory.open(B)) {
            assertThat(fill(second)).isEqualTo(50);
        }
    }

    @Test
    void the_server_is_not_refused() {
        try (var first = memory.open(A);
                var server = memory.open(CallerScope.SERVER)) {
            fill(first);
            assertThat(server.add(200L * MIB)).isTrue();
        }
    }
}
