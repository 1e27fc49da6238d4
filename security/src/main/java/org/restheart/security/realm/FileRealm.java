package org.restheart.security.realm;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.bson.BsonDocument;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Accounts that are written in a file, with their passwords in clear or as bcrypt hashes. Immutable.
public final class FileRealm implements Realm {
    /// OWASP's recommendation for this function.
    private static final int ITERATIONS = 600_000;

    private final Map<String, Known> users = new HashMap<>();
    private final PasswordHashes hashes;
    private final boolean anyHashed;
    private final KeyedDigest digest = new KeyedDigest();

    /// One entry of the file.
    ///
    /// @param password in clear, or a bcrypt hash
    /// @param properties all other keys of the entry
    public record User(String name, String password, List<String> roles, BsonDocument properties) {
        @Override
        public String toString() {
            return "User[" + name + "]";
        }
    }

    private record Known(String password, Account account) {}

    private final Map<String, String> identities = new ConcurrentHashMap<>();

    /// @param users of two with the same name the later is used
    public FileRealm(List<User> users, PasswordHashes hashes) {
        users.forEach(user -> this.users.put(
                user.name(), new Known(user.password(), new Account(user.name(), user.roles(), user.properties()))));
        this.hashes = hashes;
        this.anyHashed = users.stream().anyMatch(user -> PasswordHashes.isHash(user.password()));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // an equal account may have another password
    public boolean isCurrent(Account account) {
        var user = users.get(account.name());
        return user != null && user.account() == account;
    }

    @Override
    public Optional<Account> verify(Request request, String name, String password) {
        var user = users.get(name);
        if (user == null) {
            // The same work as for an existing account.
            boolean _ = anyHashed ? hashes.noMatch(request, name, password) : digest.same(password, name);
            return Optional.empty();
        }
        boolean hashed = PasswordHashes.isHash(user.password());
        boolean right =
                hashed ? hashes.matches(request, password, user.password()) : digest.same(password, user.password());
        if (!right && !hashed && anyHashed) {
            hashes.noMatch(request, name, password); // so that clear and hashed passwords take the same time
        }
        return right ? Optional.of(user.account()) : Optional.empty();
    }

    @Override
    public Optional<Stored> stored(Request request, String name) {
        return Optional.ofNullable(users.get(name)).map(user -> new Stored(user.account(), user.password()));
    }

    @Override
    public Optional<Identified> identified(Request request, String name, boolean fresh) {
        var user = users.get(name);
        if (user == null) {
            return Optional.empty();
        }
        if (!identities.containsKey(name)) {
            request.requireThread();
        }
        var identity = identities.computeIfAbsent(name, _ -> identity(name, user.password()));
        return Optional.of(new Identified(user.account(), Optional.of(identity)));
    }

    @Override
    public Optional<Identified> identify(Request request, String name) {
        return identified(request, name, true);
    }

    /// Another entry with this name has another password. Derived slowly, since the password may be in clear.
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
    public Optional<Clear> clear(Request request, String name) {
        return Optional.ofNullable(users.get(name))
                .filter(user -> !PasswordHashes.isHash(user.password()))
                .map(user -> new Clear(user.account(), user.password()));
    }
}
