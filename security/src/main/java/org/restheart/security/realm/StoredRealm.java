package org.restheart.security.realm;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Account;
import org.restheart.http.Request;
import org.restheart.security.cache.Kept;

/// Accounts that are documents of a collection. Thread-safe.
public final class StoredRealm implements Realm {
    private final UsersCollection users;
    private final Accounts accounts;
    private final PasswordHashes hashes;
    private final Kept<String, Stored> kept;
    private final KeyedDigest digest = new KeyedDigest();

    /// An account that can log in.
    public record Stored(Account account, String password) {
        @Override
        public String toString() {
            return "Stored[" + account.name() + "]";
        }
    }

    /// @param kept what is known; whoever learns of a change tells it
    public StoredRealm(UsersCollection users, Accounts accounts, PasswordHashes hashes, Kept<String, Stored> kept) {
        this.users = users;
        this.accounts = accounts;
        this.hashes = hashes;
        this.kept = kept;
    }

    @Override
    public Optional<Account> verify(Request request, String name, String password) {
        var stored = find(request, name);
        if (stored.isEmpty()) {
            rejectSlowly(request, password);
            return Optional.empty();
        }
        return matches(request, password, stored.get().password()) ? stored.map(Stored::account) : Optional.empty();
    }

    private boolean matches(Request request, String password, String stored) {
        return users.hashed() ? hashes.matches(request, password, stored) : digest.same(password, stored);
    }

    private void rejectSlowly(Request request, String password) {
        if (users.hashed()) {
            hashes.noMatch(request, password);
        } else {
            digest.same(password, "");
        }
    }

    private Optional<Stored> find(Request request, String name) {
        var known = kept.get(name);
        if (known.isPresent()) {
            return known;
        }
        request.requireThread();
        return Optional.ofNullable(kept.load(
                name,
                missing -> accounts.find(missing)
                        .flatMap(document -> read(missing, document))
                        .orElse(null)));
    }

    private Optional<Stored> read(String name, BsonDocument document) {
        if (!(document.get(users.passwordProperty()) instanceof BsonString password)) {
            return Optional.empty();
        }
        var properties = document.clone();
        properties.remove(users.passwordProperty());
        properties.put("authDb", new BsonString(users.database()));
        return users.roles()
                .read(document)
                .map(roles -> new Stored(new Account(name, roles, properties), password.getValue()));
    }

    @Override
    public Optional<Clear> clear(Request request, String name) {
        return users.hashed()
                ? Optional.empty()
                : find(request, name).map(stored -> new Clear(stored.account(), stored.password()));
    }
}
