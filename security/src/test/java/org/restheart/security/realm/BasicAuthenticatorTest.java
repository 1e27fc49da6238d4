package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.ClientAddress;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.InvalidatedCache.CacheExpiry;
import org.restheart.security.Requests;
import org.restheart.security.realm.UsersCollection.RolesPath;

class BasicAuthenticatorTest {
    private final Map<String, BsonDocument> documents = new HashMap<>();
    private final InvalidatedCache<String, StoredRealm.Entry> kept = new InvalidatedCache<>(
            "accounts",
            new CacheExpiry(100, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE),
            100_000,
            StoredRealm.Entry::bytes);

    private void store(String name, String password, String more) {
        documents.put(
                name,
                BsonDocument.parse(
                        "{_id: '" + name + "', password: '" + password + "', roles: [], more: '" + more + "'}"));
        kept.invalidate(name);
    }

    private static Account account(BasicAuthenticator authenticator, Request request) {
        return ((Authentication.Authenticated) authenticator.authenticate(request)).account();
    }

    private BasicAuthenticator authenticator() {
        var users = new UsersCollection("db", "users", "_id", "password", RolesPath.parse("$.roles"), false);
        kept.follow();
        return new BasicAuthenticator(
                new StoredRealm(
                        users,
                        name -> Optional.ofNullable(documents.get(name)),
                        new PasswordHashes(4, new ClientAddress.Peer()),
                        kept),
                "realm",
                new ClientAddress.Peer());
    }

    @Test
    void credentials_do_not_hold_accounts_as_they_were() {
        var authenticator = authenticator();
        List<WeakReference<Account>> before = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            store("eve", "pw" + i, "");
            before.add(new WeakReference<>(account(authenticator, Requests.basic(Requests.get("/"), "eve", "pw" + i))));
        }
        await().until(() -> {
            System.gc();
            return before.subList(0, 9).stream().allMatch(account -> account.get() == null);
        });
        var request = Requests.basic(Requests.get("/"), "eve", "pw9");
        assertThat(account(authenticator, request)).isSameAs(before.getLast().get());
    }

    @Test
    void fewer_large_accounts_are_cached() {
        var authenticator = authenticator();
        for (int i = 0; i < 50; i++) {
            store("large" + i, "pw", "x".repeat(1_000));
            account(authenticator, Requests.basic(Requests.get("/"), "large" + i, "pw"));
        }
        assertThat(kept.meter().entries()).isBetween(1L, 10L);
    }
}
