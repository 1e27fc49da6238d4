package org.restheart.security.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.security.Requests;

class RevocationsTest {
    private static final int MANY = 250_000;

    private final Revocations revocations = Revocations.local();
    private final Instant end = Instant.now().plusSeconds(900);

    private boolean isRevoked(String id) {
        return revocations.contains(Requests.get("/"), id);
    }

    private boolean revoke(String caller, String id) {
        return revoke(caller, id, end);
    }

    private boolean revoke(String caller, String id, Instant until) {
        return CallerScope.call(CallerScope.account(caller), () -> revocations.revoke(id, until));
    }

    private List<String> many(String caller, Instant until) {
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
        assertThat(accepted).hasSizeGreaterThan(100_000).allMatch(this::isRevoked);
        assertThat(List.of("first", "second", "third")).allMatch(this::isRevoked);
    }

    @Test
    void others_keep_what_is_revoked_until_it_has_expired_by_clocks_that_are_behind() {
        var kept = new ArrayList<Instant>();
        var shared = Revocations.storedIn(new Revocations.Store() {
            @Override
            public boolean add(String id, Instant until) {
                return kept.add(until);
            }

            @Override
            public boolean contains(Request request, String id) {
                return !kept.isEmpty();
            }
        });
        CallerScope.call(CallerScope.account("ada"), () -> shared.revoke("id", end));
        assertThat(kept).allMatch(until -> until.isAfter(end.plusSeconds(600)));
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

    @Test
    void expired_ones_make_room() {
        many("eve", Instant.now().minusSeconds(1));
        await().ignoreExceptionsInstanceOf(ProblemException.class).until(() -> revoke("eve", "another"));
    }
}
