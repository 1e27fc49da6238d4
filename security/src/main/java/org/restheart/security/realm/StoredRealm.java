package org.restheart.security.realm;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.cache.InvalidatedCache;

/// Accounts that are documents of a collection. Thread-safe.
public final class StoredRealm implements Realm {
    private final UsersCollection users;
    private final Accounts accounts;
    private final PasswordHashes hashes;
    private final InvalidatedCache<String, Stored> kept;
    private final KeyedDigest digest = new KeyedDigest();

    /// @param kept the cache of accounts, which is invalidated on changes
    public StoredRealm(
            UsersCollection users, Accounts accounts, PasswordHashes hashes, InvalidatedCache<String, Stored> kept) {
        this.users = users;
        this.accounts = accounts;
        this.hashes = hashes;
        this.kept = kept;
    }

    @Override
    public Optional<Account> verify(Request request, String name, String password) {
        var known = kept.get(name).filter(stored -> isKnownToMatch(password, stored.password()));
        if (known.isPresent()) {
            return known.map(Stored::account);
        }
        // The time must not reveal whether the account exists: always one query and one password verification.
        var stored = load(request, name);
        if (stored.isEmpty()) {
            rejectSlowly(request, name, password);
            return Optional.empty();
        }
        return matches(request, password, stored.get().password()) ? stored.map(Stored::account) : Optional.empty();
    }

    /// Every query creates another object.
    @Override
    @SuppressWarnings("ReferenceEquality") // an equal account may have another password
    public boolean isCurrent(Account account) {
        var known = kept.get(account.name());
        return known.isPresent() && known.get().account() == account;
    }

    private boolean isKnownToMatch(String password, String stored) {
        return users.hashed() ? hashes.isKnownToMatch(password, stored) : digest.same(password, stored);
    }

    private boolean matches(Request request, String password, String stored) {
        return users.hashed() ? hashes.matches(request, password, stored) : digest.same(password, stored);
    }

    private void rejectSlowly(Request request, String name, String password) {
        if (users.hashed()) {
            hashes.noMatch(request, name, password);
        } else {
            digest.same(password, "");
        }
    }

    @Override
    public Optional<Stored> stored(Request request, String name) {
        var known = kept.get(name);
        return known.isPresent() ? known : load(request, name);
    }

    private Optional<Stored> load(Request request, String name) {
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
                : stored(request, name).map(stored -> new Clear(stored.account(), stored.password()));
    }
}
