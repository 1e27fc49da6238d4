package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Wrong passwords of accounts that exist, with hashes of the configured cost and of a lower one, and of accounts that
/// do not exist take the same time, alone and while others log in. Medians differ by at most a quarter here, since the
/// machine may be shared; by a tenth with `-Dmeasure=true`, on a machine that does nothing else.
@WithMongo
class LogInTimesTest {
    private static final String REALM =
            "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 9}\n";
    private static final boolean MEASURED = Boolean.getBoolean("measure");
    private static final int ATTEMPTS = MEASURED ? 100 : 9;
    private static final int TRIES = 4;
    private static final double TOLERANCE = MEASURED ? 0.1 : 0.25;

    private final AtomicInteger passwords = new AtomicInteger();

    @Test
    void known_and_unknown_accounts_take_the_same_time_alone_and_concurrently(TestMongo mongo) throws Exception {
        try (var gateway = TestGateway.startWithRealm(mongo, REALM, "")) {
            gateway.insert("users", account("strong", 9), account("weak", 6));
            medians(gateway); // warms up
            assertEqual(gateway);
            var busy = new AtomicBoolean(true);
            var company = new ArrayList<Thread>();
            for (int i = 0; i < 2; i++) {
                company.add(Thread.ofVirtual().start(() -> {
                    while (busy.get()) {
                        attempt(gateway, "another");
                    }
                }));
            }
            try {
                assertEqual(gateway);
            } finally {
                busy.set(false);
                for (var thread : company) {
                    thread.join();
                }
            }
        }
    }

    private void assertEqual(TestGateway gateway) {
        Map<String, Long> medians = Map.of();
        for (int i = 0; i < TRIES; i++) {
            medians = medians(gateway);
            if (MEASURED) {
                System.out.println("median log-in with a wrong password, nanoseconds: " + medians);
            }
            if (spread(medians) <= TOLERANCE) {
                return;
            }
        }
        assertThat(spread(medians)).as("%s", medians).isLessThanOrEqualTo(TOLERANCE);
    }

    private static double spread(Map<String, Long> medians) {
        long least = medians.values().stream().min(Long::compare).orElseThrow();
        long most = medians.values().stream().max(Long::compare).orElseThrow();
        return (double) most / least - 1;
    }

    private Map<String, Long> medians(TestGateway gateway) {
        var nanos = new HashMap<String, List<Long>>();
        for (int i = 0; i < ATTEMPTS; i++) {
            for (var name : List.of("strong", "nobody", "weak")) {
                nanos.computeIfAbsent(name, _ -> new ArrayList<>()).add(attempt(gateway, name));
            }
        }
        var medians = new HashMap<String, Long>();
        nanos.forEach(
                (name, all) -> medians.put(name, all.stream().sorted().toList().get(all.size() / 2)));
        return medians;
    }

    private long attempt(TestGateway gateway, String name) {
        var client = gateway.anonymous().as(name, "wrong" + passwords.incrementAndGet());
        long before = System.nanoTime();
        assertStatus(401, client.get("/roles/" + name));
        return System.nanoTime() - before;
    }

    private static String account(String name, int cost) {
        return "{_id: '" + name + "', password: '" + BCrypt.withDefaults().hashToString(cost, "pw".toCharArray())
                + "', roles: ['editor']}";
    }
}
