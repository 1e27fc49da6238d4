package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Many wrong passwords at once, with the shipped bcrypt cost: other requests are still served, and none is
/// accepted. With `-Dmeasure=true`, on a machine that does nothing else, 99 of 100 pings must take less than 100 ms.
@WithMongo
class BadLoginsTest {
    private static final String SHIPPED_COST =
            "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 12}\n";
    private static final int LOGINS = 30;

    private record Outcome(List<Double> pings, ConcurrentHashMap<Integer, AtomicInteger> statuses) {
        double percentile(double part) {
            var sorted = pings.stream().sorted().toList();
            return sorted.get((int) Math.min(sorted.size() - 1, part * sorted.size()));
        }
    }

    private static Outcome attack(TestGateway gateway) throws InterruptedException {
        var pings = new ArrayList<Double>();
        var statuses = new ConcurrentHashMap<Integer, AtomicInteger>();
        var attacking = new AtomicBoolean(true);
        for (int i = 0; i < 200; i++) {
            assertStatus(200, gateway.anonymous().get("/ping")); // warms up
        }
        var attack = Thread.ofVirtual().start(() -> {
            try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < LOGINS; i++) {
                    var caller = gateway.anonymous().as(i % 2 == 0 ? "ada" : "nobody" + i, "wrong" + i);
                    callers.submit(() -> statuses.computeIfAbsent(
                                    caller.get("/roles/ada").statusCode(), _ -> new AtomicInteger())
                            .incrementAndGet());
                }
            }
            attacking.set(false);
        });
        while (attacking.get()) {
            long before = System.nanoTime();
            assertStatus(200, gateway.anonymous().get("/ping"));
            pings.add((System.nanoTime() - before) / 1e6);
        }
        attack.join();
        return new Outcome(pings, statuses);
    }

    @Test
    void many_wrong_passwords_do_not_keep_others_waiting(TestMongo mongo) throws InterruptedException {
        try (var gateway = TestGateway.startWithRealm(mongo, SHIPPED_COST, "")) {
            var outcome = attack(gateway);
            System.out.printf(
                    "%d bad logins: %s; %d pings meanwhile, ms: p50 %.2f, p99 %.2f, max %.2f%n",
                    LOGINS,
                    outcome.statuses(),
                    outcome.pings().size(),
                    outcome.percentile(0.5),
                    outcome.percentile(0.99),
                    outcome.percentile(1));
            assertThat(outcome.statuses().keySet()).isSubsetOf(401, 503).contains(401);
            assertThat(outcome.pings()).hasSizeGreaterThan(50);
            assertThat(Duration.ofNanos((long) (1e6 * outcome.percentile(0.5))))
                    .isLessThan(Patience.relative(Duration.ofMillis(100)));
            if (Boolean.getBoolean("measure")) {
                assertThat(outcome.percentile(0.99)).isLessThan(100);
            }
        }
    }
}
