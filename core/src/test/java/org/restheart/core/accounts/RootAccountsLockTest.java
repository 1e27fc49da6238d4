package org.restheart.core.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.restheart.core.accounts.RootAccounts.RootAccountsLock;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class RootAccountsLockTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /// Writes of many accounts may take long.
    @Test
    void it_is_held_for_longer_than_a_lease_and_until_it_is_given_back(TestMongo mongo) {
        var here = new RootAccountsLock(mongo.client(), mongo.databaseName(), LEASE);
        var there = new RootAccountsLock(mongo.client(), mongo.databaseName(), LEASE);
        var held = here.take(Duration.ZERO).orElseThrow();
        assertThat(there.take(LEASE.multipliedBy(2))).isEmpty();
        held.run();
        there.take(Duration.ZERO).orElseThrow().run();
    }
}
