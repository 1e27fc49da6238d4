package org.restheart.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig.RateLimitsConfig.Limit;
import org.restheart.core.filter.RateLimits.RateLimiter;

class RateLimiterTest {
    /// Two a second.
    private static final Limit LIMIT = new Limit(120, 20);

    private long now;
    private final RateLimiter one = new RateLimiter(() -> now, true);
    private final RateLimiter two = new RateLimiter(() -> now, true);
    private int admitted;

    private void sleep(int millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private int ask(RateLimiter limiter, int times) {
        int before = admitted;
        for (int i = 0; i < times; i++) {
            admitted += limiter.count("ada", LIMIT).isAdmitted() ? 1 : 0;
        }
        return admitted - before;
    }

    private void exchange() {
        var ofOne = one.report(LIMIT);
        var ofTwo = two.report(LIMIT);
        one.countElsewhere(ofTwo, LIMIT);
        two.countElsewhere(ofOne, LIMIT);
    }

    @Test
    void what_another_gateway_admitted_counts_here() {
        assertThat(ask(one, 15)).isEqualTo(15);
        exchange();
        assertThat(ask(two, 15)).isEqualTo(5);
        exchange();
        assertThat(ask(one, 15)).isZero();
    }

    @Test
    void in_the_long_run_two_gateways_admit_as_much_as_one() {
        for (int halfSeconds = 0; halfSeconds < 1_200; halfSeconds++) {
            ask(one, 10);
            ask(two, 10);
            exchange();
            sleep(500);
        }
        int burst = LIMIT.burst();
        assertThat(admitted).isBetween(1_200 - burst, 1_200 + 3 * burst);
    }

    @Test
    void names_with_few_requests_are_reported_when_they_have_more() {
        var large = new Limit(6_000, 400);
        one.count("bob", large);
        assertThat(one.report(large)).isEmpty();
        for (int i = 1; i < 20; i++) {
            one.count("bob", large);
        }
        assertThat(one.report(large)).isEqualTo(Map.of("bob", 20L));
    }

    @Test
    void what_others_admit_beyond_the_limit_delays_the_next_for_a_while_only() {
        one.countElsewhere(Map.of("ada", Long.MAX_VALUE), LIMIT);
        assertThat(ask(one, 1)).isZero();
        sleep(61_000);
        assertThat(ask(one, 1)).isEqualTo(1);
    }

    /// While MongoDB does not answer, and clients have many addresses.
    @Test
    void names_that_cannot_be_reported_are_bounded() {
        for (int i = 0; i < 150_000; i++) {
            one.count("name-" + i, LIMIT);
        }
        int reported = 0;
        var report = one.report(LIMIT);
        while (!report.isEmpty()) {
            reported += report.size();
            report = one.report(LIMIT);
        }
        assertThat(reported).isEqualTo(100_000);
    }
}
