package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.restheart.security.realm.DigestAuthenticator.Nonces;

class NoncesTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final Nonces nonces = new Nonces(now::get);

    private String next() {
        now.updateAndGet(time -> time.plusMillis(1));
        return nonces.next();
    }

    @Test
    void who_asks_for_many_displaces_none() {
        var nonce = next();
        for (int i = 0; i < 100_000; i++) {
            nonces.next();
        }
        assertThat(nonces.use("ada", nonce, 1)).isTrue();
    }

    @Test
    void each_count_is_good_once_and_none_before_it() {
        var nonce = next();
        assertThat(nonces.use("ada", nonce, 0)).isFalse();
        assertThat(nonces.use("ada", nonce, 2)).isTrue();
        assertThat(nonces.use("ada", nonce, 2)).isFalse();
        assertThat(nonces.use("ada", nonce, 1)).isFalse();
        assertThat(nonces.use("ada", nonce, 3)).isTrue();
    }

    @Test
    void no_count_is_good_again_when_many_others_have_been_used() {
        var early = next();
        var late = new ArrayList<String>();
        for (int i = 0; i < 5_000; i++) {
            var nonce = next();
            assertThat(nonces.use("ada", nonce, 1)).isTrue();
            late.add(nonce);
        }
        assertThat(late).noneMatch(nonce -> nonces.use("ada", nonce, 1));
        assertThat(nonces.use("ada", early, 1)).isFalse();
        assertThat(nonces.use("bob", early, 1)).isTrue();
        assertThat(nonces.use("ada", next(), 1)).isTrue();
    }

    @Test
    void no_count_is_good_again_when_many_other_accounts_have_used_theirs() {
        var nonce = next();
        assertThat(nonces.use("ada", nonce, 1)).isTrue();
        for (int i = 0; i < 20_000; i++) {
            var other = next();
            nonces.use("account " + i, other, 1);
            assertThat(nonces.use("account " + i, other, 1)).isFalse();
        }
        assertThat(nonces.use("ada", nonce, 1)).isFalse();
        assertThat(nonces.use("ada", next(), 1)).isTrue();
    }

    @Test
    void those_issued_after_what_displaced_accounts_have_used_stay_good() {
        var early = next();
        var late = next();
        now.updateAndGet(time -> time.plusSeconds(1));
        for (int i = 0; i < 20_000; i++) {
            nonces.use("account " + i, early, 1);
        }
        assertThat(nonces.use("bob", early, 1)).isFalse();
        assertThat(nonces.use("bob", late, 1)).isTrue();
    }

    @Test
    void only_those_of_this_server_are_good_and_only_for_minutes() {
        var nonce = next();
        var other = new Nonces(now::get).next();
        var changed = (nonce.charAt(0) == '0' ? '1' : '0') + nonce.substring(1);
        for (var bad : new String[] {other, changed, "", "0", nonce + "0", "x".repeat(nonce.length())}) {
            assertThat(nonces.use("ada", bad, 1)).as(bad).isFalse();
        }
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(5)));
        assertThat(nonces.use("ada", nonce, 1)).isFalse();
    }
}
