package org.restheart.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdmissionControlTest {
    private long now;
    private final AdmissionControl shares = new AdmissionControl(() -> now);
    private final Deque<String> inProgress = new ArrayDeque<>();

    private void sleep(int millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private boolean enter(String caller) {
        boolean admitted = shares.enter(caller);
        if (admitted) {
            inProgress.add(caller);
        }
        return admitted;
    }

    private int enter(String caller, int times) {
        int admitted = 0;
        for (int i = 0; i < times; i++) {
            admitted += enter(caller) ? 1 : 0;
        }
        return admitted;
    }

    private void serve(int requests) {
        for (int i = 0; i < requests && !inProgress.isEmpty(); i++) {
            shares.leave(inProgress.remove());
        }
    }

    /// Ten milliseconds each.
    private void serveAndRefill(String caller, int rounds, int requests) {
        for (int i = 0; i < rounds; i++) {
            serve(requests);
            sleep(10);
            enter(caller, 5_000 - inProgress.size());
        }
    }

    @Test
    void a_burst_is_admitted() {
        assertThat(enter("ada", 5_000)).isEqualTo(5_000);
        sleep(400);
        serve(4_900);
        assertThat(enter("ada", 5_000)).isEqualTo(5_000);
    }

    @Test
    void a_standing_queue_is_cut_to_what_is_done_in_a_quarter_of_a_second() {
        enter("ada", 5_000);
        serveAndRefill("ada", 700, 20); // 2,000 a second
        assertThat(inProgress).hasSizeBetween(450, 550);
        serveAndRefill("ada", 400, 50);
        assertThat(inProgress).hasSizeBetween(1_150, 1_350);
    }

    @Test
    void a_few_are_never_refused() {
        enter("ada", 5_000);
        serveAndRefill("ada", 700, 1);
        serve(inProgress.size() - 250);
        assertThat(enter("ada", 6)).isEqualTo(6);
        assertThat(enter("ada")).isFalse();
    }

    @Test
    void nobody_is_refused_for_the_requests_of_others() {
        enter("ada", 5_000);
        serveAndRefill("ada", 700, 20);
        assertThat(enter("ada")).isFalse();
        assertThat(enter("bob", 100)).isEqualTo(100);
        assertThat(enter("ada")).isFalse();
        assertThat(enter("bob", 1_000)).isBetween(120, 180); // half of it, together with those above
    }

    @Test
    void while_nothing_is_done_requests_wait() {
        enter("ada", 5_000);
        sleep(3_000);
        assertThat(enter("ada", 1_000)).isEqualTo(1_000);
    }

    @Test
    void requests_that_begin_anew_count_once() {
        for (int i = 0; i < 5_000; i++) {
            assertThat(shares.enter("ada")).isTrue();
            shares.leaveUndone("ada");
            sleep(1);
        }
        assertThat(enter("ada", 256)).isEqualTo(256);
    }
}
