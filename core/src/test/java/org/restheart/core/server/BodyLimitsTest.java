package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.access.CallerScope;

class BodyLimitsTest {
    private static final long MIB = 1 << 20;

    private final BodyLimits limits = new BodyLimits(16 * MIB, 256 * MIB, 64 * MIB, 16 * MIB, Duration.ofSeconds(1));

    private BodyLimits.Counter opened(String caller) {
        var counter = limits.open(() -> caller);
        assertThat(counter.countForCaller()).isTrue();
        return counter;
    }

    private static String caller(boolean hasAccount, int number) {
        return hasAccount ? CallerScope.account("" + number) : CallerScope.address("" + number);
    }

    /// The content of each arrives in pieces, as far as there is room.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_dozen_callers_whose_content_does_not_arrive_leave_memory_to_others(boolean areAccounts) {
        for (int i = 0; i < 12; i++) {
            var slow = opened(caller(areAccounts, i));
            for (int piece = 16 << 10; piece >= 1 << 10; piece /= 2) {
                while (slow.add(piece)) {
                    // as far as there is room
                }
            }
        }
        for (int i = 0; i < 12; i++) {
            for (boolean hasAccount : new boolean[] {true, areAccounts}) {
                var other = opened(caller(hasAccount, 100 + i));
                for (int piece = 0; piece < 3; piece++) {
                    assertThat(other.add(1_000))
                            .as("piece %d of caller %d", piece, i)
                            .isTrue();
                }
            }
        }
    }

    /// As an aggregation does that a client sends: its chain starts on an I/O thread, and again on another one.
    @Test
    void objects_of_a_request_that_starts_again_count_once() {
        for (int i = 0; i < 8; i++) {
            var counter = opened(caller(true, i));
            counter.hold(20 * MIB);
            counter.restart();
            assertThatCode(() -> counter.hold(20 * MIB)).as("caller %d", i).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void two_callers_may_have_one_request_each_of_any_number_of_objects(boolean areAccounts) {
        for (int i = 0; i < 2; i++) {
            var counter = opened(caller(areAccounts, i));
            assertThat(counter.add(10_000)).isTrue();
            assertThat(counter.addObjects(Long.MAX_VALUE)).as("caller %d", i).isTrue();
        }
    }
}
