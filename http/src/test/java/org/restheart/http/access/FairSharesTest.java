package org.restheart.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairShares.Policy;
import org.restheart.http.access.FairShares.Want;

class FairSharesTest {
    private static final String A = CallerScope.account("a");
    private static final String B = CallerScope.account("b");
    private static final String C = CallerScope.account("c");
    private static final String D = CallerScope.account("d");
    private static final String E = CallerScope.account("e");
    private static final String F = CallerScope.account("f");

    private static final Patience LONG = new Patience(TimeUnit.MINUTES.toNanos(10));

    private final List<Thread> threads = new ArrayList<>();

    private static int taken(FairShares shares, String caller) {
        int taken = 0;
        while (shares.tryTake(caller)) {
            taken++;
        }
        return taken;
    }

    @Test
    void one_caller_gets_half_and_the_next_half_of_the_rest() {
        var shares = new FairShares(16);
        assertThat(taken(shares, A)).isEqualTo(8);
        assertThat(taken(shares, B)).isEqualTo(4);
        assertThat(taken(shares, C)).isEqualTo(2);
        assertThat(shares.tryTake(D)).isTrue();
        assertThat(shares.tryTake(E)).isTrue();
        assertThat(shares.tryTake(F)).isFalse();
    }

    @Test
    void what_is_reserved_only_the_server_takes() {
        var shares = new FairShares(8 - 2);
        assertThat(taken(shares, A)).isEqualTo(3);
        assertThat(shares.tryTake(B)).isTrue();
        assertThat(shares.tryTake(C)).isTrue();
        assertThat(shares.tryTake(D)).isTrue();
        assertThat(shares.tryTake(E)).isFalse();
        assertThat(shares.tryTake(CallerScope.SERVER)).isTrue();
        assertThat(shares.tryTake(CallerScope.SERVER)).isTrue();
    }

    @Test
    void what_cannot_be_done_with_fewer_leaves_a_quarter() {
        var shares = new FairShares(16);
        assertThat(taken(shares, "account a")).isEqualTo(8);
        assertThat(shares.tryTake("account a", 1, 10)).isTrue();
        assertThat(shares.tryTake("account a", 2, 10)).isFalse();
        assertThat(shares.tryTake("account b", 3, 10)).isTrue();
        assertThat(shares.tryTake("account b", 1, 10)).isTrue();
        assertThat(shares.tryTake("account b", 1, 10)).isFalse();
        assertThat(shares.tryTake("account c", 1, 10)).isTrue();
    }

    @Test
    void who_holds_more_than_there_is_leaves_a_little_to_others() {
        var bounded = new FairShares(1024);
        assertThat(bounded.tryTake(new Want(List.of(A), 2000, Policy.EXISTING))).isPresent();
        assertThat(bounded.tryTake(B)).isFalse();
        var shares = new FairShares(1024, 64);
        assertThat(shares.tryTake(new Want(List.of(A), 2000, Policy.EXISTING))).isPresent();
        assertThat(shares.tryTake(B, 17)).isFalse();
        for (var caller : List.of(B, C, D)) {
            assertThat(shares.tryTake(caller, 16)).isTrue();
            assertThat(shares.tryTake(caller)).isFalse();
        }
        assertThat(shares.tryTake("address")).isFalse(); // the last quarter is for accounts
        assertThat(shares.tryTake(E, 16)).isTrue();
        assertThat(shares.tryTake(F)).isFalse();
        assertThat(shares.tryTake(A)).isFalse();
    }

    @Test
    void there_is_always_one_for_a_single_caller() {
        assertThat(taken(new FairShares(1), A)).isEqualTo(1);
    }

    @Test
    void who_waits_gets_what_is_released_and_others_need_not_wait() throws Exception {
        var shares = new FairShares(4);
        assertThat(taken(shares, A)).isEqualTo(2);
        assertThat(shares.take(A, TimeUnit.MILLISECONDS.toNanos(20))).isFalse();
        var waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return shares.take(A, TimeUnit.SECONDS.toNanos(20));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(shares.take(B, 0)).isTrue();
        shares.release(B);
        assertThat(waiting).isNotDone();
        shares.release(A);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(shares.tryTake(A)).isFalse();
    }

    @Test
    void who_has_been_served_is_served_again_after_the_others() throws Exception {
        var shares = new FairShares(1);
        assertThat(shares.tryTake(A)).isTrue();
        var served = new LinkedBlockingQueue<String>();
        for (var caller : List.of(A, A, B)) {
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
        var holder = A;
        for (var expected : List.of(A, B, A)) {
            shares.release(holder);
            holder = served.poll(60, TimeUnit.SECONDS);
            assertThat(holder).isEqualTo(expected);
        }
    }

    @Test
    void what_several_callers_ask_for_counts_for_the_one_that_holds_fewest() {
        var shares = new FairShares(16);
        assertThat(shares.tryTake(A, 4)).isTrue();
        assertThat(shares.tryTake(new Want(List.of(A, B), 3, Policy.SHARE))).contains(B);
        assertThat(shares.tryTake(new Want(List.of(A, B), 3, Policy.SHARE))).contains(B); // 4 and 3
        assertThat(shares.tryTake(new Want(List.of(A, B), 1, Policy.SHARE))).contains(A);
        assertThat(shares.tryTake(new Want(List.of(A, B), 1, Policy.SHARE))).isEmpty(); // 5 and 6 of 16
        assertThat(shares.tryTake(new Want(List.of(A, B, C), 1, Policy.SHARE))).contains(C);
        shares.release(B, 6);
        assertThat(shares.tryTake(new Want(List.of(A, B), 1, Policy.SHARE))).contains(B);
    }

    @Test
    void what_several_callers_wait_for_is_granted_once_to_whoever_may_take_it_first() throws Exception {
        var shares = new FairShares(9);
        assertThat(taken(shares, A)).isEqualTo(5);
        assertThat(taken(shares, B)).isEqualTo(2);
        var waiting = started(() -> shares.take(List.of(A, B), TimeUnit.SECONDS.toNanos(20)));
        assertThat(shares.tryTake(C)).isTrue();
        awaitWaiting();
        assertThat(waiting).isNotDone();
        shares.release(B);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).contains(B);
        shares.release(A, 5);
        shares.release(B, 2);
        shares.release(C);
        assertThat(taken(shares, D)).isEqualTo(5); // all are free again
    }

    @Test
    void what_callers_hold_together_is_taken_once_and_bounds_each_of_them() {
        var shares = new FairShares(16);
        assertThat(shares.tryTake(A, 6)).isTrue();
        assertThat(shares.tryJoin(B, 6)).isTrue();
        assertThat(shares.tryJoin(B, 6)).isFalse();
        shares.leave(A, 6);
        assertThat(shares.tryTake(A, 4)).isTrue();
        assertThat(shares.tryTake(B, 1)).isFalse();
        shares.release(B, 6);
        assertThat(shares.tryTake(B, 4)).isTrue();
    }

    private Future<Optional<String>> waiting(FairShares shares, Want want, Patience patience) {
        var taken = started(() -> shares.take(want, patience));
        awaitWaiting();
        return taken;
    }

    private static Want want(String caller, int places) {
        return new Want(List.of(caller), places, Policy.SHARE);
    }

    @Test
    void several_places_are_waited_for_until_all_of_them_are_free() throws Exception {
        var shares = new FairShares(16);
        assertThat(shares.tryTake(B, 13)).isTrue();
        var waiting = waiting(shares, want(A, 6), LONG);
        shares.release(B, 2);
        assertThat(waiting).isNotDone();
        shares.release(B, 2);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).contains(A);
    }

    @Test
    void what_is_under_way_is_served_first_of_all_that_is_free() throws Exception {
        var shares = new FairShares(16, 2);
        assertThat(shares.tryTake(B, 16)).isTrue();
        var waiting = waiting(shares, want(A, 1), LONG);
        assertThat(shares.tryTake(new Want(List.of(B), 2, Policy.UNDER_WAY))).contains(B);
        var underWay = waiting(shares, new Want(List.of(B), 2, Policy.UNDER_WAY), LONG);
        shares.release(B, 2);
        assertThat(underWay.get(60, TimeUnit.SECONDS)).contains(B);
        assertThat(waiting).isNotDone();
        shares.release(B, 3);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).contains(A);
    }

    @Test
    void nobody_waits_for_who_has_gone_or_behind_too_many() throws Exception {
        var shares = new FairShares(4);
        assertThat(shares.tryTake(B, 4)).isTrue();
        var gone = new AtomicBoolean();
        var waiting = waiting(shares, want(A, 1), new Patience(TimeUnit.MINUTES.toNanos(10), 1, gone::get));
        assertThat(shares.take(want(A, 1), new Patience(TimeUnit.MINUTES.toNanos(10), 1, () -> false)))
                .isEmpty();
        assertThat(shares.take(want(C, 5), LONG)).as("more than there are").isEmpty();
        gone.set(true);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEmpty();
        shares.release(B, 4);
        assertThat(taken(shares, A)).isEqualTo(2);
    }

    private <T> Future<T> started(Callable<T> take) {
        var task = new FutureTask<>(take);
        threads.add(Thread.ofVirtual().start(task));
        return task;
    }

    private Future<Boolean> taking(FairShares shares, String caller) {
        return started(() -> shares.take(caller, TimeUnit.SECONDS.toNanos(20)));
    }

    /// Until all that were started wait for a place, or have ended.
    private void awaitWaiting() {
        var idle = EnumSet.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
        while (!threads.stream().allMatch(thread -> idle.contains(thread.getState()))) {
            Thread.onSpinWait();
        }
    }

    @Test
    void an_account_does_not_wait_for_all_addresses_that_came_before_it() throws Exception {
        var shares = new FairShares(3);
        assertThat(shares.tryTake(A)).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThat(shares.tryTake(CallerScope.address("taking " + i))).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            taking(shares, CallerScope.address("waiting " + i));
        }
        awaitWaiting();
        var account = taking(shares, CallerScope.account("ada"));
        awaitWaiting();
        shares.release(CallerScope.address("taking 0"));
        assertThat(account.get(60, TimeUnit.SECONDS)).isTrue();
    }

    /// An address alone gets about a third, any number of them three quarters, and any other one a place until there
    /// are many.
    @Test
    void few_addresses_do_not_take_all_places() {
        var shares = new FairShares(1_600);
        assertThat(taken(shares, CallerScope.address("0"))).isEqualTo(550);
        for (int i = 1; i < 50; i++) {
            taken(shares, CallerScope.address("" + i));
        }
        for (int i = 50; i < 100; i++) {
            assertThat(shares.tryTake(CallerScope.address("" + i)))
                    .as("address %d", i)
                    .isTrue();
        }
        for (int i = 100; i < 2_000; i++) {
            taken(shares, CallerScope.address("" + i));
        }
        assertThat(shares.tryTake(CallerScope.address("one more"))).isFalse();
        assertThat(taken(shares, A)).isEqualTo(200);
        assertThat(taken(shares, B)).isEqualTo(100);
        shares.release(CallerScope.address("0"), 550);
        assertThat(shares.tryTake(CallerScope.address("one more"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 10, 100, 1_000})
    void few_addresses_beside_an_account_leave_places_to_others(int size) {
        var shares = new FairShares(size);
        taken(shares, A);
        for (int i = 0; i < 40; i++) {
            taken(shares, CallerScope.address("" + i));
        }
        assertThat(taken(shares, B)).isGreaterThanOrEqualTo(Math.max(1, size / 17));
    }

    @Test
    void an_address_that_holds_places_leaves_some_to_others_also_where_there_are_few() {
        var shares = new FairShares(8);
        assertThat(taken(shares, CallerScope.address("0"))).isEqualTo(3);
        for (int i = 1; i < 4; i++) {
            assertThat(taken(shares, CallerScope.address("" + i))).isEqualTo(1);
        }
        assertThat(taken(shares, A)).isEqualTo(1);
    }

    @Test
    void addresses_together_have_a_part_beside_any_number_of_accounts() {
        var shares = new FairShares(32);
        for (int i = 0; i < 32; i++) {
            assertThat(shares.tryTake(CallerScope.account("" + i))).isTrue();
        }
        for (int i = 0; i < 2; i++) {
            shares.release(CallerScope.account("" + i));
            assertThat(shares.tryTake(CallerScope.address("" + i))).isTrue();
        }
        shares.release(CallerScope.account("2"));
        assertThat(shares.tryTake(CallerScope.address("2"))).isFalse();
        assertThat(shares.tryTake(A)).isTrue();
    }

    @Test
    void addresses_among_themselves_take_all_places() {
        var shares = FairShares.ofAddresses(1_600);
        assertThat(taken(shares, CallerScope.address("0"))).isEqualTo(750);
        int all = 750;
        for (int i = 1; i < 2_000; i++) {
            all += taken(shares, CallerScope.address("" + i));
        }
        assertThat(all).isEqualTo(1_600);
    }

    @Test
    void what_addresses_hold_together_counts_once_for_all_of_them() {
        var shares = new FairShares(1_600);
        assertThat(shares.tryTake(CallerScope.address("0"), 500)).isTrue();
        for (int i = 1; i < 100; i++) {
            assertThat(shares.tryJoin(CallerScope.address("" + i), 500)).isTrue();
        }
        assertThat(shares.tryTake(CallerScope.address("other"), 500)).isTrue();
    }
}
