package org.restheart.security.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.security.Requests;

class RevocationsTest {
    private static final int MANY = 250_000;

    private final Revocations revocations = Revocations.of(Optional.empty(), Duration.ZERO);
    private final Optional<Instant> end = Optional.of(Instant.now().plusSeconds(900));

    private boolean isRevoked(String id) {
        return revocations.contains(Requests.get("/"), id);
    }

    private boolean revoke(String caller, String id) {
        return revoke(caller, id, end);
    }

    private boolean revoke(String caller, String id, Optional<Instant> until) {
        return CallerScope.call(CallerScope.account(caller), () -> revocations.revoke(id, until));
    }

    private List<String> many(String caller, Optional<Instant> until) {
        var revoked = new ArrayList<String>();
        for (int i = 0; i < MANY; i++) {
            try {
                assertThat(revoke(caller, caller + i, until)).isTrue();
                revoked.add(caller + i);
            } catch (ProblemException refused) {
                assertThat(refused.problem().code().status()).isEqualTo(429);
                return revoked;
            }
        }
        return revoked;
    }

    @Test
    void who_revokes_many_displaces_nothing() {
        assertThat(revoke("ada", "first")).isTrue();
        var accepted = many("eve", end);
        assertThat(revoke("ada", "second")).isTrue();
        accepted.addAll(many("mallory", end));
        assertThat(revoke("ada", "third")).isTrue();
        assertThat(accepted).hasSizeGreaterThan(50_000).allMatch(this::isRevoked);
        assertThat(List.of("first", "second", "third")).allMatch(this::isRevoked);
    }

    /// One client, which may have as many addresses as there are places.
    private static void fill(Revocations all, Optional<Instant> until) {
        for (int i = 0; i < MANY; i++) {
            var id = "of address " + i;
            try {
                CallerScope.call(CallerScope.address("2001:db8::" + i), () -> all.revoke(id, until));
            } catch (ProblemException refused) {
                assertThat(refused.problem().code().status()).isEqualTo(429);
                return;
            }
        }
    }

    @Test
    void a_client_with_many_addresses_keeps_no_account_from_revoking() {
        fill(revocations, end);
        assertThat(revoke("ada", "first")).isTrue();
        assertThat(isRevoked("first")).isTrue();
    }

    @Test
    void what_has_no_place_here_is_left_to_the_store() {
        var kept = ConcurrentHashMap.<String>newKeySet();
        var shared = Revocations.of(
                Optional.of(new Revocations.Store() {
                    @Override
                    public boolean add(String id, Optional<Instant> until) {
                        return kept.add(id);
                    }

                    @Override
                    public boolean contains(Request request, String id) {
                        return kept.contains(id);
                    }
                }),
                Duration.ZERO);
        fill(shared, end);
        assertThat(kept).hasSize(MANY);
        var late = "of another address";
        assertThat(CallerScope.call(CallerScope.address("192.0.2.1"), () -> shared.revoke(late, end)))
                .isTrue();
        assertThat(shared.revoke(late, end)).isFalse();
        assertThat(shared.contains(Requests.get("/"), late)).isTrue();
    }

    @Test
    void others_keep_what_is_revoked_until_it_has_expired_by_clocks_that_are_behind() {
        var kept = new ArrayList<Instant>();
        var shared = Revocations.of(
                Optional.of(new Revocations.Store() {
                    @Override
                    public boolean add(String id, Optional<Instant> until) {
                        return kept.add(until.orElseThrow());
                    }

                    @Override
                    public boolean contains(Request request, String id) {
                        return !kept.isEmpty();
                    }
                }),
                Duration.ZERO);
        CallerScope.call(CallerScope.account("ada"), () -> shared.revoke("id", end));
        assertThat(kept).allMatch(until -> until.isAfter(end.orElseThrow().plusSeconds(600)));
        assertThat(shared.contains(Requests.get("/"), "id")).isTrue();
    }

    @Test
    void what_is_revoked_again_counts_once() {
        assertThat(revoke("ada", "id")).isTrue();
        for (int i = 0; i < MANY; i++) {
            assertThat(revoke("eve", "id")).isFalse();
        }
        assertThat(revoke("eve", "another")).isTrue();
    }

    /// The `ttl` of tokens may be years, and those of other issuers may have no end.
    @Test
    void nothing_is_forgotten_before_its_token_expires() {
        var now = new AtomicReference<>(Instant.now());
        var started = now.get();
        var all = new Revocations(
                Optional.empty(),
                Duration.ZERO,
                now::get,
                () -> Duration.between(started, now.get()).toNanos());
        var years = Duration.ofDays(3_650);
        all.revoke("of ten years", Optional.of(started.plus(years)));
        all.revoke("of a week", Optional.of(started.plus(Duration.ofDays(7))));
        all.revoke("without end", Optional.empty());
        now.set(started.plus(years).minusSeconds(60));
        assertThat(all.contains(Requests.get("/"), "of a week")).isFalse();
        assertThat(all.contains(Requests.get("/"), "of ten years")).isTrue();
        now.set(started.plus(years).plusSeconds(60));
        assertThat(all.contains(Requests.get("/"), "of ten years")).isFalse();
        assertThat(all.contains(Requests.get("/"), "without end")).isTrue();
    }

    @Test
    void expired_ones_make_room() {
        many("eve", Optional.of(Instant.now().minusSeconds(1)));
        await().ignoreExceptionsInstanceOf(ProblemException.class).until(() -> revoke("eve", "another"));
    }
}
