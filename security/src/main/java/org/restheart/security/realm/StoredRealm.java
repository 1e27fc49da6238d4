package org.restheart.security.realm;

import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.restheart.bson.RawDocuments;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;
import org.restheart.security.InvalidatedCache;

/// Accounts that are documents of a collection. Thread-safe.
///
/// @param kept the cache of accounts, which is invalidated on changes
public record StoredRealm(
        UsersCollection users, Accounts accounts, PasswordHashes hashes, InvalidatedCache<String, Entry> kept)
        implements Realm {
    /// The property with the account's identity: random, so that no other document has the same.
    public static final String IDENTITY = "_identity";

    /// Bytes of heap for one byte of an account in BSON (measured: 10, of empty documents).
    private static final int EXPANSION = 10;

    /// Where accounts are stored. Thread-safe.
    @FunctionalInterface
    public interface Accounts {
        /// The document of the account with this name. May wait.
        ///
        /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
        Optional<BsonDocument> find(String name);

        /// Sets a property of the account's document to a new ObjectId, unless it has that property. Its entity tag
        /// changes, too. Does nothing if accounts cannot be changed.
        default void identify(String name, String property) {}
    }

    /// An account as it is cached.
    public record Entry(Stored stored, Optional<String> identity, long bytes) {}

    @Override
    public Optional<Account> verify(Request request, String name, String password) {
        var known = kept.get(name).map(Entry::stored).filter(stored -> isKnownToMatch(password, stored.password()));
        if (known.isPresent()) {
            return admitted(request, password, known.get());
        }
        // The time must not reveal whether the account exists: always one query and one password verification.
        var stored = load(request, name).map(Entry::stored);
        if (stored.isEmpty()) {
            rejectSlowly(request, name, password);
            return Optional.empty();
        }
        return matches(request, password, stored.get().password())
                ? admitted(request, password, stored.get())
                : Optional.empty();
    }

    private Optional<Account> admitted(Request request, String password, Stored stored) {
        var account = stored.account();
        return DefaultAccount.isRefused(hashes.clients(), request, account.name(), password, stored.password())
                ? Optional.empty()
                : Optional.of(account);
    }

    /// Every query creates another object.
    @Override
    @SuppressWarnings("ReferenceEquality") // an equal account may have another password
    public boolean isCurrent(Account account) {
        var known = kept.get(account.name());
        return known.isPresent() && known.get().stored().account() == account;
    }

    private boolean isKnownToMatch(String password, String stored) {
        return users.hashed() ? hashes.isKnownToMatch(password, stored) : SecretValues.equal(password, stored);
    }

    private boolean matches(Request request, String password, String stored) {
        return users.hashed() ? hashes.matches(request, password, stored) : SecretValues.equal(password, stored);
    }

    private void rejectSlowly(Request request, String name, String password) {
        if (users.hashed()) {
            hashes.noMatch(request, name, password);
        } else {
            SecretValues.equal(password, name);
        }
    }

    @Override
    public Optional<Stored> stored(Request request, String name) {
        return kept.get(name).or(() -> load(request, name)).map(Entry::stored);
    }

    @Override
    public Optional<Identified> identified(Request request, String name, boolean fresh) {
        var entry = fresh ? load(request, name) : kept.get(name).or(() -> load(request, name));
        return entry.map(known -> new Identified(known.stored().account(), known.identity()));
    }

    @Override
    public Optional<Identified> identify(Request request, String name) {
        var known = identified(request, name, true);
        if (known.isEmpty() || known.get().identity().isPresent()) {
            return known;
        }
        accounts.identify(name, IDENTITY);
        kept.invalidate(name);
        var identified = identified(request, name, true);
        if (identified.filter(account -> account.identity().isEmpty()).isPresent()) {
            throw new ProblemException(
                    ProblemCode.CONFLICT, IDENTITY + " of the account is not an ObjectId of this server");
        }
        return identified;
    }

    private Optional<Entry> load(Request request, String name) {
        request.requireThread();
        return Optional.ofNullable(kept.load(
                name,
                missing -> accounts.find(missing)
                        .flatMap(document -> read(missing, document))
                        .orElse(null)));
    }

    private Optional<Entry> read(String name, BsonDocument document) {
        if (!(document.get(users.passwordProperty()) instanceof BsonString password)) {
            return Optional.empty();
        }
        var properties = document.clone();
        properties.remove(users.passwordProperty());
        properties.remove(IDENTITY);
        var identity = document.get(IDENTITY) instanceof BsonObjectId id
                ? Optional.of(id.getValue().toHexString())
                : Optional.<String>empty();
        properties.put("authDb", new BsonString(users.database()));
        return users.roles()
                .read(document)
                .map(roles -> new Entry(
                        new Stored(new Account(name, roles, properties, !users.isNamedById()), password.getValue()),
                        identity,
                        (long) EXPANSION * RawDocuments.encode(document).getByteLength()));
    }

    @Override
    public Optional<Stored> clear(Request request, String name, Predicate<String> isProven) {
        if (users.hashed()) {
            return Optional.empty();
        }
        // As in verify: one query, whether there is an account or not, unless the proof is right for a cached one.
        return proven(kept.get(name), isProven)
                .or(() -> proven(load(request, name), isProven))
                .filter(stored -> admitted(request, stored.password(), stored).isPresent());
    }

    private static Optional<Stored> proven(Optional<Entry> entry, Predicate<String> isProven) {
        var stored = entry.map(Entry::stored);
        return isProven.test(stored.map(Stored::password).orElse("")) ? stored : Optional.empty();
    }
}
