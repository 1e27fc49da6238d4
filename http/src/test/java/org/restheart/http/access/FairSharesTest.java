package org.restheart.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FairSharesTest {
    private static int taken(FairShares shares, String caller) {
        int taken = 0;
        while (shares.tryTake(caller)) {
            taken++;
        }
        return taken;
    }

    @Test
    void one_caller_gets_half_and_the_next_half_of_the_rest() {
        var shares = new FairShares(16, 0);
        assertThat(taken(shares, "a")).isEqualTo(8);
        assertThat(taken(shares, "b")).isEqualTo(4);
        assertThat(taken(shares, "c")).isEqualTo(2);
        assertThat(shares.tryTake("d")).isTrue();
        assertThat(shares.tryTake("e")).isTrue();
        assertThat(shares.tryTake("f")).isFalse();
    }

    @Test
    void what_is_reserved_only_the_server_takes() {
        var shares = new FairShares(8, 2);
        assertThat(taken(shares, "a")).isEqualTo(3);
        assertThat(shares.tryTake("b")).isTrue();
        assertThat(shares.tryTake("c")).isTrue();
        assertThat(shares.tryTake("d")).isTrue();
        assertThat(shares.tryTake("e")).isFalse();
        assertThat(shares.tryTake(CallerScope.SERVER)).isTrue();
        assertThat(shares.tryTake(CallerScope.SERVER)).isTrue();
    }

    @Test
    void there_is_always_one_for_a_single_caller() {
        assertThat(taken(new FairShares(1, 0), "a")).isEqualTo(1);
    }

    @Test
    void who_waits_gets_what_is_released_and_others_need_not_wait() throws Exception {
        var shares = new FairShares(4, 0);
        assertThat(taken(shares, "a")).isEqualTo(2);
        assertThat(shares.take("a", TimeUnit.MILLISECONDS.toNanos(20))).isFalse();
        var waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return shares.take("a", TimeUnit.SECONDS.toNanos(20));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(shares.take("b", 0)).isTrue();
        shares.release("b");
        assertThat(waiting).isNotDone();
        shares.release("a");
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(shares.tryTake("a")).isFalse();
    }

    @Test
    void who_has_been_served_is_served_again_after_the_others() throws Exception {
        var shares = new FairShares(1, 0);
        assertThat(shares.tryTake("a")).isTrue();
        var served = new LinkedBlockingQueue<String>();
        for (var caller : List.of("a", "a", "b")) {
            var waiting = Thread.ofPlatform().start(() -> {
                try {
                    if (shares.take(caller, TimeUnit.SECONDS.toNanos(20))) {
                        served.add(caller);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }
        var holder = "a";
        for (var expected : List.of("a", "b", "a")) {
            shares.release(holder);
            holder = served.poll(20, TimeUnit.SECONDS);
            assertThat(holder).isEqualTo(expected);
        }
    }

    @Test
    void what_several_callers_ask_for_counts_for_the_one_that_holds_fewest() {
        var shares = new FairShares(16, 0);
        assertThat(shares.tryTake("a", 4)).isTrue();
        assertThat(shares.tryTake(List.of("a", "b"), 3)).contains("b");
        assertThat(shares.tryTake(List.of("a", "b"), 3)).contains("b"); // 4 and 3
        assertThat(shares.tryTake(List.of("a", "b"), 1)).contains("a");
        assertThat(shares.tryTake(List.of("a", "b"), 1)).isEmpty(); // 5 and 6 of 16
        assertThat(shares.tryTake(List.of("a", "b", "c"), 1)).contains("c");
        shares.release("b", 6);
        assertThat(shares.tryTake(List.of("a", "b"), 1)).contains("b");
    }

    @Test
    void what_several_callers_wait_for_is_granted_once_to_whoever_may_take_it_first() throws Exception {
        var shares = new FairShares(9, 0);
        assertThat(taken(shares, "a")).isEqualTo(5);
        assertThat(taken(shares, "b")).isEqualTo(2);
        var waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return shares.take(List.of("a", "b"), TimeUnit.SECONDS.toNanos(20));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(shares.tryTake("c")).isTrue();
        Thread.sleep(50);
        assertThat(waiting).isNotDone();
        shares.release("b");
        assertThat(waiting.get(20, TimeUnit.SECONDS)).contains("b");
        shares.release("a", 5);
        shares.release("b", 2);
        shares.release("c");
        assertThat(taken(shares, "d")).isEqualTo(5); // all are free again
    }

    @Test
    void what_callers_hold_together_is_taken_once_and_bounds_each_of_them() {
        var shares = new FairShares(16, 0);
        assertThat(shares.tryTake("a", 6)).isTrue();
        assertThat(shares.tryJoin("b", 6)).isTrue();
        assertThat(shares.tryJoin("b", 6)).isFalse();
        shares.leave("a", 6);
        assertThat(shares.tryTake("a", 4)).isTrue();
        assertThat(shares.tryTake("b", 1)).isFalse();
        shares.release("b", 6);
        assertThat(shares.tryTake("b", 4)).isTrue();
    }

    private static CompletableFuture<Boolean> taking(FairShares shares, String caller) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return shares.take(caller, TimeUnit.SECONDS.toNanos(20));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    @Test
    void an_account_does_not_wait_for_all_addresses_that_came_before_it() throws Exception {
        var shares = new FairShares(4, 0);
        for (int i = 0; i < 4; i++) {
            assertThat(shares.tryTake(CallerScope.address("taking " + i))).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            taking(shares, CallerScope.address("waiting " + i));
        }
        Thread.sleep(200);
        var account = taking(shares, CallerScope.account("ada"));
        Thread.sleep(200);
        shares.release(CallerScope.address("taking 0"));
        assertThat(account.get(10, TimeUnit.SECONDS)).isTrue();
    }
}
