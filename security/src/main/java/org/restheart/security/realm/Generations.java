package org.restheart.security.realm;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.crypto.spec.SecretKeySpec;
import org.restheart.http.Digests;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;
import org.restheart.security.Credentials;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.Credentials.Origin;

/// Computes the generation of accounts, a value that tokens contain so that they become invalid with the account.
/// It changes with the password, and differs for another account of the same name. Equal on every gateway with the
/// same key. Thread-safe.
public final class Generations {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int BYTES = 16;

    private final Map<String, Realm> realms;
    private final SecretKeySpec key;
    private final KeyLimits keyLimits;

    /// By identity: every load of an account creates another object.
    private final Cache<Account, String> known = Caffeine.newBuilder()
            .executor(Runnable::run)
            .weakKeys()
            .maximumSize(10_000)
            .build();

    public record Current(Account account, String generation) {}

    /// The current limits of API keys.
    @FunctionalInterface
    public interface KeyLimits {
        /// Refuses all keys: for gateways without API keys.
        KeyLimits NONE = (_, _, _) -> Optional.empty();

        /// The account with those of its roles that a key allows; empty if the request may not use the
        /// key. Follows the threading rule of [Realm#verify].
        Optional<Account> limited(Request request, String handle, Account account);
    }

    /// @param realms by the names by which credentials refer to them
    /// @param key secret, since generations are derived from passwords that may be stored in clear
    public Generations(Map<String, Realm> realms, byte[] key, KeyLimits keyLimits) {
        this.realms = Map.copyOf(realms);
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.keyLimits = keyLimits;
    }

    /// The account, if it exists and can log in. Follows the threading rule of [Realm#verify].
    ///
    /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
    public Optional<Current> current(Request request, String source, String name) {
        return Optional.ofNullable(realms.get(source))
                .flatMap(realm -> realm.stored(request, name))
                .map(stored -> new Current(
                        stored.account(),
                        known.get(stored.account(), _ -> generation(source, name, stored.password()))));
    }

    /// The account of this name, if it is still the one for which a token of this lineage was issued, with
    /// the roles that the API key of its log-in allows.
    public Optional<Account> of(Request request, Lineage lineage, String name) {
        return current(request, lineage.source(), name)
                .filter(current -> SecretValues.equal(lineage.generation(), current.generation()))
                .map(Current::account)
                .flatMap(account -> lineage.apiKey().isPresent()
                        ? keyLimits.limited(request, lineage.apiKey().get(), account)
                        : Optional.of(account));
    }

    /// The lineage of the credentials, or a new one; empty for accounts of no realm.
    ///
    /// @throws org.restheart.http.ProblemException 403 if no token may be derived from the credentials
    public Optional<Lineage> of(Request request, Account account, Credentials credentials) {
        var shown = credentials.requireLogIn().lineage();
        return shown.isPresent() || credentials.token().isPresent()
                ? shown
                : current(request, credentials.source(), account.name())
                        .map(current -> lineage(credentials.source(), current.generation(), new Origin.Password()));
    }

    /// As [#of(Request, Account, Credentials)] for a session, which may also begin with an API key, and then
    /// has its limits.
    public Optional<Lineage> ofSession(Request request, Account account, Credentials credentials, String keysRealm) {
        return credentials.source().equals(Credentials.API_KEYS)
                ? current(request, keysRealm, account.name())
                        .map(current -> lineage(
                                keysRealm,
                                current.generation(),
                                new Origin.ApiKey(credentials.apiKey().orElseThrow())))
                : credentials.token().isPresent() ? credentials.lineage() : of(request, account, credentials);
    }

    /// The lineage of a log-in without credentials.
    ///
    /// @param current of a realm with this name
    public static Lineage ofNothing(String source, Current current) {
        return lineage(source, current.generation(), new Origin.Nothing());
    }

    private static Lineage lineage(String source, String generation, Origin origin) {
        return new Lineage(UUID.randomUUID().toString(), source, generation, origin);
    }

    private String generation(String... parts) {
        var mac = Digests.hmac(key);
        for (var part : parts) {
            var bytes = part.getBytes(StandardCharsets.UTF_8);
            mac.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
            mac.update(bytes);
        }
        return SecretValues.base64(Arrays.copyOf(mac.doFinal(), BYTES));
    }
}
