package org.restheart.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.restheart.http.access.CallerScope;

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

    /// Ten milliseconds each, with twenty new requests.
    private void serveAndAsk(int rounds, int requests) {
        for (int i = 0; i < rounds; i++) {
            serve(requests);
            sleep(10);
            enter("ada", 20);
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
    void a_burst_that_would_wait_for_seconds_is_cut_before_it_is_admitted() {
        int most = 0;
        for (int i = 0; i < 200; i++) { // 1,000 a second, of which 100 are done
            serve(1);
            sleep(10);
            enter("ada", 10);
            most = Math.max(most, inProgress.size());
        }
        assertThat(most).isBetween(256, 500);
    }

    @Test
    void a_standing_queue_is_cut_to_what_is_done_in_a_fifth_of_a_second() {
        enter("ada", 5_000);
        serveAndRefill("ada", 700, 20); // 2,000 a second
        assertThat(inProgress).hasSizeBetween(360, 440);
        serveAndRefill("ada", 400, 50);
        assertThat(inProgress).hasSizeBetween(920, 1_080);
    }

    @Test
    void slow_requests_that_share_processors_wait_no_longer_than_others() {
        enter("ada", 300);
        serveAndAsk(3_000, 1); // 100 a second, however many are in progress
        assertThat(inProgress).hasSizeBetween(16, 32);
        assertThat(enter("ada")).isFalse();
        assertThat(enter("bob", 8)).isEqualTo(8);
    }

    @Test
    void slow_requests_that_wait_for_something_stay_as_many_as_it_takes() {
        enter("ada", 300);
        int admitted = 0;
        double due = 0;
        for (int i = 0; i < 6_000; i++) {
            due += Math.min(128, inProgress.size()) * 0.01; // a second each, 128 at a time
            int done = Math.min((int) due, inProgress.size());
            serveAndAsk(1, done);
            due -= done;
            admitted += i < 2_000 ? 0 : done;
        }
        assertThat(admitted).isGreaterThan(9 * 128 * 40 / 10); // of 40 s nine tenths of what can be done
    }

    /// Half a second each, 1,000 at a time, after an overload has begun.
    ///
    /// @return requests that are done between these seconds
    private int doneWhereEachTakesHalfASecond(int from, int to) {
        enter("ada", 300);
        int all = 0;
        double due = 0;
        for (int i = 0; i < to * 100; i++) {
            due += Math.min(1_000, inProgress.size()) * 0.02;
            int done = Math.min((int) due, inProgress.size());
            serve(done);
            sleep(10);
            enter("ada", 100);
            due -= done;
            all += i < from * 100 ? 0 : done;
        }
        return all;
    }

    @Test
    void where_each_takes_half_a_second_as_many_are_admitted_as_can_be_done_at_once() {
        assertThat(doneWhereEachTakesHalfASecond(30, 60)).isGreaterThan(8 * 2_000 * 30 / 10);
    }

    @Test
    void where_each_takes_half_a_second_more_are_admitted_within_ten_seconds() {
        assertThat(doneWhereEachTakesHalfASecond(10, 20)).isGreaterThan(7 * 2_000 * 10 / 10);
    }

    /// 1,024 clients, which arrive within half a second and repeat at once what is refused.
    ///
    /// @param before requests take as long at first, with a tenth of the clients
    /// @param millis what each takes then
    /// @param atOnce requests of which each takes as long; more of them wait for these
    /// @return requests that are done in each second
    private int[] doneOfManyClients(int before, int millis, int atOnce, int seconds) {
        var began = new ArrayDeque<Long>();
        var done = new int[seconds];
        double due = 0;
        for (int tick = 0; tick < seconds * 100; tick++) {
            int taken = tick < 500 ? before : millis;
            due += Math.min(atOnce, began.size()) * 10.0 / taken;
            while (due >= 1 && !began.isEmpty() && now - began.element() >= TimeUnit.MILLISECONDS.toNanos(taken)) {
                shares.leave("ada", now - began.remove());
                due--;
                done[tick / 100]++;
            }
            due = Math.min(due, atOnce);
            int clients = tick < 500 ? 100 : Math.min(1_024, 100 + 20 * (tick - 500));
            for (int idle = clients - began.size(); idle > 0 && shares.enter("ada"); idle--) {
                began.add(now);
            }
            sleep(10);
        }
        return done;
    }

    @Test
    void many_clients_of_a_slow_server_are_no_overload() {
        var done = doneOfManyClients(500, 500, Integer.MAX_VALUE, 120);
        for (int second = 7; second < done.length; second++) {
            assertThat(done[second]).as("done in second %d", second).isGreaterThan(2_048 * 8 / 10);
        }
    }

    /// 1,024 clients whose requests share commands, four at a time, of 256 requests. After five seconds each takes
    /// 900 ms instead of 10.
    @Test
    void a_trial_of_fewer_requests_is_soon_given_up_where_these_are_not_quicker() {
        record Command(long end, int requests) {}
        var clients = new HashMap<Long, Integer>(Map.of(0L, 1_024)); // by when they ask
        var random = new Random(1);
        var commands = new ArrayDeque<Command>();
        int waiting = 0;
        long begun = 0;
        int done = 0;
        for (long milli = 0; milli < 21_000; milli++) {
            while (!commands.isEmpty() && commands.element().end() <= milli) {
                for (int i = commands.remove().requests(); i > 0; i--) {
                    shares.leave("ada", TimeUnit.MILLISECONDS.toNanos(milli < 5_000 ? 10 : 900));
                    clients.merge(milli + 1 + random.nextInt(30), 1, Integer::sum);
                    done += milli >= 13_000 ? 1 : 0;
                }
            }
            for (int i = Objects.requireNonNullElse(clients.remove(milli), 0); i > 0; i--) {
                if (shares.enter("ada")) {
                    waiting++;
                } else {
                    clients.merge(milli + 1 + random.nextInt(30), 1, Integer::sum);
                }
            }
            if (waiting > 0 && commands.size() < 4 && (commands.isEmpty() || milli > begun + 10)) {
                int requests = Math.min(waiting, 256);
                commands.add(new Command(milli + (milli < 5_000 ? 10 : 900), requests));
                waiting -= requests;
                begun = milli;
            }
            sleep(1);
        }
        assertThat(done).isGreaterThan(8 * 400);
    }

    @Test
    void what_requests_wait_for_each_other_before_the_first_refusal_is_no_time_that_they_take_alone() {
        var began = new ArrayDeque<Long>();
        for (int tick = 0; tick < 2_000; tick++) { // 200 a second, of which 100 are done
            sleep(10);
            if (!began.isEmpty()) {
                shares.leave("ada", now - began.remove());
            }
            for (int i = 0; i < 2; i++) {
                if (shares.enter("ada")) {
                    began.add(now);
                }
            }
        }
        assertThat(began).hasSizeBetween(16, 40);
    }

    @Test
    void clients_that_wait_for_each_other_are_an_overload_whatever_a_request_takes_alone() {
        doneOfManyClients(10, 100, 10, 60); // 100 a second
        assertThat(shares.enter("ada")).isFalse();
    }

    @Test
    void a_moment_in_which_nothing_is_done_changes_nothing() {
        enter("ada", 300);
        serveAndAsk(3_000, 1);
        sleep(1_000);
        assertThat(enter("ada", 100)).isLessThan(10);
    }

    @Test
    void a_burst_after_an_overload_is_admitted() {
        enter("ada", 300);
        serveAndAsk(3_000, 1);
        serve(inProgress.size());
        sleep(31_000);
        assertThat(enter("ada", 200)).isEqualTo(200);
        sleep(600);
        assertThat(enter("ada", 50)).isEqualTo(50);
    }

    @Test
    void nobody_is_refused_for_the_requests_of_others() {
        enter("ada", 5_000);
        serveAndRefill("ada", 700, 20);
        assertThat(enter("ada")).isFalse();
        assertThat(enter("bob", 100)).isEqualTo(100);
        assertThat(enter("ada")).isFalse();
        assertThat(enter("bob", 1_000)).isBetween(90, 110); // half of it, together with those above
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

    /// Asks for requests of half a second each, a hundred a second, and for short ones of somebody else.
    ///
    /// @return how many of the long ones are admitted
    private int serveLongOnes(String caller, String other, int millis, int shortOnes) {
        var waiting = new ArrayDeque<Boolean>();
        int admitted = 0;
        for (int i = 0; i < millis / 10; i++) {
            sleep(10);
            for (int j = 0; j < shortOnes; j++) {
                if (shares.enter(other)) {
                    shares.leave(other);
                }
            }
            boolean enters = shares.enter(caller);
            waiting.add(enters);
            admitted += enters ? 1 : 0;
            if (waiting.size() > 50 && waiting.remove()) {
                shares.leave(caller);
            }
        }
        waiting.stream().filter(entered -> entered).forEach(_ -> shares.leave(caller));
        return admitted;
    }

    @Test
    void requests_that_do_not_end_do_not_keep_the_limit_of_others_low() {
        enter("ada", 260);
        serveLongOnes("bob", "ada", 30_000, 1);
        assertThat(serveLongOnes("bob", "ada", 30_000, 1)).isGreaterThan(2_900);
    }

    /// With the lowest floor a third as many of the long ones are done, and short ones instead.
    @Test
    void short_requests_of_one_caller_do_not_hide_what_another_one_loses() {
        enter("ada", 256);
        serveLongOnes("bob", "ada", 5_000, 1);
        serve(256);
        enter("ada", 7);
        serveLongOnes("bob", "ada", 25_000, 1);
        assertThat(serveLongOnes("bob", "ada", 30_000, 1)).isGreaterThan(2_900);
    }

    @Test
    void many_addresses_leave_half_of_the_limit_to_accounts() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(shares.enter(CallerScope.address("10.0.0." + i))).isTrue();
        }
        sleep(600);
        for (int i = 0; i < 10; i++) {
            shares.leave(CallerScope.address("10.0.0." + i));
        }
        assertThat(enter(CallerScope.address("10.0.0.10"))).isFalse();
        assertThat(enter(CallerScope.account("bob"), 200)).isEqualTo(128);
        assertThat(enter(CallerScope.account("ada"), 200)).isEqualTo(64);
    }
}
