package org.restheart.security.realm;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.bson.BsonDocument;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;

/// Accounts that are written in a file, with their passwords in clear or as bcrypt hashes. Thread-safe.
public final class FileRealm implements Realm {
    /// OWASP's recommendation for this function.
    private static final int ITERATIONS = 600_000;

    private final PasswordHashes hashes;
    private volatile Entries entries;

    /// One entry of the file.
    ///
    /// @param password in clear, or a bcrypt hash
    public record User(String name, String password, List<String> roles, BsonDocument properties) {
        @Override
        public String toString() {
            return "User[" + name + "]";
        }
    }

    /// The accounts of the file; replaced as a whole.
    ///
    /// @param identities computed identities of accounts, by name
    private record Entries(Map<String, Stored> users, boolean anyHashed, Map<String, String> identities) {
        static Entries of(List<User> users) {
            var known = new HashMap<String, Stored>();
            users.forEach(user -> known.put(
                    user.name(),
                    new Stored(new Account(user.name(), user.roles(), user.properties()), user.password())));
            return new Entries(
                    Map.copyOf(known),
                    users.stream().anyMatch(user -> PasswordHashes.isHash(user.password())),
                    new ConcurrentHashMap<>());
        }

        Optional<Stored> find(String name) {
            return Optional.ofNullable(users.get(name));
        }
    }

    /// @param users if two have the same name, the later one is used
    public FileRealm(List<User> users, PasswordHashes hashes) {
        this.hashes = hashes;
        this.entries = Entries.of(users);
    }

    /// Replaces all accounts. Tokens and cached credentials of accounts whose password has changed become
    /// invalid.
    public void replace(List<User> users) {
        entries = Entries.of(users);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // an equal account may have another password
    public boolean isCurrent(Account account) {
        return entries.find(account.name())
                .filter(user -> user.account() == account)
                .isPresent();
    }

    @Override
    public Optional<Account> verify(Request request, String name, String password) {
        var now = entries;
        boolean anyHashed = now.anyHashed;
        var user = now.users.get(name);
        if (user == null) {
            // The same work as for an existing account.
            boolean _ = anyHashed ? hashes.noMatch(request, name, password) : SecretValues.equal(password, name);
            return Optional.empty();
        }
        boolean hashed = PasswordHashes.isHash(user.password());
        boolean right = hashed
                ? hashes.matches(request, password, user.password())
                : SecretValues.equal(password, user.password());
        if (!right && !hashed && anyHashed) {
            hashes.noMatch(request, name, password); // so that clear and hashed passwords take the same time
        }
        return right && !isRefused(request, name, password, user) ? Optional.of(user.account()) : Optional.empty();
    }

    private boolean isRefused(Request request, String name, String password, Stored user) {
        return DefaultAccount.isRefused(hashes.clients(), request, name, password, user.password());
    }

    @Override
    public Optional<Stored> stored(Request request, String name) {
        return entries.find(name);
    }

    @Override
    public Optional<Identified> identified(Request request, String name, boolean fresh) {
        var now = entries;
        var user = now.users.get(name);
        if (user == null) {
            return Optional.empty();
        }
        if (!now.identities.containsKey(name)) {
            request.requireThread();
        }
        var identity = now.identities.computeIfAbsent(name, _ -> identity(name, user.password()));
        return Optional.of(new Identified(user.account(), Optional.of(identity)));
    }

    @Override
    public Optional<Identified> identify(Request request, String name) {
        return identified(request, name, true);
    }

    /// The identity of an account, derived from its password, so that another account of this name has
    /// another one. A slow derivation, since the password may be stored in clear.
    private static String identity(String name, String password) {
        try {
            var salt = ("identity of " + name).getBytes(StandardCharsets.UTF_8);
            var derived = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, 128));
            return HexFormat.of().formatHex(derived.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }

    @Override
    public Optional<Stored> clear(Request request, String name, Predicate<String> isProven) {
        return entries.find(name)
                .filter(user -> !PasswordHashes.isHash(user.password()))
                .filter(user -> isProven.test(user.password()))
                .filter(user -> !isRefused(request, name, user.password(), user));
    }
}
