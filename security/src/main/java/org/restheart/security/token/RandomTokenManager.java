package org.restheart.security.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;
import org.restheart.security.TokenManager;
import org.restheart.security.realm.Generations;

/// Random tokens, valid in this process only, used in place of the password. Each use extends their lifetime.
public final class RandomTokenManager implements TokenManager {
    private static final int BYTES = 32;
    private static final int MAX_ACCOUNTS = 100_000;

    private final Generations accounts;
    private final Duration lifetime;
    private final String uri;
    private final Cache<String, Known> tokens;
    private volatile Consumer<String> watcher = _ -> {};

    private record Known(String token, Account account, String source, Optional<String> generation) {
        @Override
        public String toString() {
            return "Known[" + account.name() + "]";
        }
    }

    /// @param uri the prefix of a token's location
    public RandomTokenManager(Duration lifetime, String uri, Generations accounts) {
        this.accounts = accounts;
        this.lifetime = lifetime;
        this.uri = uri;
        this.tokens = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumSize(MAX_ACCOUNTS)
                .expireAfterAccess(lifetime)
                .build();
    }

    @Override
    public Issued issue(Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
        if (!limits.isEmpty()) {
            throw Problem.helpful(
                            ProblemCode.BAD_REQUEST,
                            "the tokens of this server have no resource or scope: jwtTokenManager makes such")
                    .raise();
        }
        var generation = generation(request, credentials.requireLogIn().source(), account.name());
        var known = tokens.asMap().compute(account.name(), (_, before) -> {
            if (before == null
                    || !before.source.equals(credentials.source())
                    || !before.generation.equals(generation)) {
                return new Known(
                        new BigInteger(1, SecretValues.random(BYTES)).toString(36),
                        account,
                        credentials.source(),
                        generation);
            }
            // With the password, the account is current.
            return credentials.token().isPresent()
                    ? before
                    : new Known(before.token, account, before.source, before.generation);
        });
        return new Issued(known.token, known.account, Instant.now().plus(lifetime));
    }

    private Optional<String> generation(Request request, String source, String name) {
        return accounts.current(request, source, name).map(Generations.Current::generation);
    }

    @Override
    public Optional<Authentication> verify(Request request, String name, String token) {
        var known = tokens.getIfPresent(name);
        return known != null
                        && SecretValues.equal(token, known.token)
                        && generation(request, known.source, name).equals(known.generation)
                ? Optional.of(new Authentication.Authenticated(
                        known.account,
                        new Credentials(
                                known.source,
                                Optional.of(new Credentials.Token(
                                        token, Optional.empty(), Optional.empty(), Optional.empty())))))
                : Optional.empty();
    }

    @Override
    public void invalidate(Request request, Account account, Credentials credentials) {
        tokens.invalidate(account.name());
        watcher.accept(account.name());
    }

    @Override
    public void watch(Consumer<String> receiver) {
        watcher = receiver;
    }

    @Override
    public String type() {
        return "Basic-Password";
    }

    @Override
    public String location(Account account) {
        return uri + "/" + account.name();
    }
}
