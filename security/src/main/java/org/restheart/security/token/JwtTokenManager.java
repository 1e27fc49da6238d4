package org.restheart.security.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.TokenManager;
import org.restheart.security.jwt.Claims;
import org.restheart.security.jwt.Jwt.JwtSigner;
import org.restheart.security.jwt.JwtVerifier;
import org.restheart.security.realm.Generations;

/// Signed tokens, which every server with the key accepts. The last token of each account is issued again until it
/// is about to expire or its claims are out of date.
public final class JwtTokenManager implements TokenManager {
    private static final int MAX_ACCOUNTS = 1_000;
    /// An issued token is valid for at least this fraction of its lifetime.
    private static final int LEAST_FRACTION = 10;

    private final JwtSigner signer;
    private final JwtVerifier verifier;
    private final Generations accounts;
    private final Settings settings;
    private final Sessions sessions;
    private final Cache<Owner, Last> last = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_ACCOUNTS)
            .build();

    /// @param revokes whether this server refuses tokens after their owner revoked them
    public record Settings(Duration lifetime, String location, List<String> propertyClaims, boolean revokes) {}

    /// Sessions that were begun with tokens, or to which tokens belong.
    ///
    /// @param ending ends those of a lineage; may block
    public record Sessions(Duration access, Consumer<String> ending) {
        /// For gateways without sessions.
        public static final Sessions NONE = new Sessions(Duration.ZERO, _ -> {});
    }

    /// The owner of a token: names are unique only within a source.
    private record Owner(String source, String database, String name) {}

    private record Last(BsonDocument said, JwtSigner.Signed signed) {}

    public JwtTokenManager(
            JwtSigner signer, JwtVerifier verifier, Generations accounts, Settings settings, Sessions sessions) {
        this.signer = signer;
        this.verifier = verifier;
        this.accounts = accounts;
        this.settings = settings;
        this.sessions = sessions;
    }

    /// A token can be exchanged for one with the current claims of its account that ends with it.
    @Override
    public Issued issue(Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
        var begun = accounts.of(request, account, credentials);
        var current = begun.flatMap(lineage -> accounts.current(request, lineage.source(), Claims.realmName(account)))
                .map(Generations.Current::account)
                .orElse(account);
        var toSay = TokenClaims.of(current, settings.propertyClaims(), begun.isPresent());
        toSay.putAll(limits);
        var owner = owner(current, begun.map(Lineage::source).orElse(credentials.source()));
        var known = last.getIfPresent(owner);
        if (!renew) {
            var shown = shown(request, account, credentials, toSay);
            if (shown.isPresent()) {
                return shown.get();
            }
            if (known != null
                    && known.said.equals(toSay)
                    && sameGeneration(known, begun)
                    && isGoodForAWhile(request, known.signed.claims())) {
                return issued(known.signed, current);
            }
        }
        var lineage = begun.map(fresh -> credentials.token().isPresent() ? fresh : continued(request, known, fresh));
        var signed = signer.sign(current.name(), lifetime(credentials, lineage), toSay, lineage);
        last.put(owner, new Last(toSay, signed));
        return issued(signed, current);
    }

    /// All tokens issued to an account for its password have the same lineage, so that they are revoked together.
    private Lineage continued(Request request, @Nullable Last known, Lineage fresh) {
        return known != null
                        && sameGeneration(known, Optional.of(fresh))
                        && !verifier.isRevoked(request, known.signed.claims())
                ? known.signed.claims().lineage().orElse(fresh)
                : fresh;
    }

    private static boolean sameGeneration(Last known, Optional<Lineage> lineage) {
        return known.signed.claims().lineage().map(Lineage::generation).equals(lineage.map(Lineage::generation));
    }

    /// A token whose account belongs to no realm is not extended.
    private Duration lifetime(Credentials credentials, Optional<Lineage> lineage) {
        var left = credentials.expires().map(end -> Duration.between(Instant.now(), end));
        return lineage.isEmpty() && left.isPresent() && left.get().compareTo(settings.lifetime()) < 0
                ? left.get()
                : settings.lifetime();
    }

    /// The token with which the request was authenticated, if it equals the one that would be issued.
    private Optional<Issued> shown(Request request, Account account, Credentials credentials, BsonDocument toSay) {
        return credentials
                .token()
                .filter(token -> account.claims().entrySet().containsAll(toSay.entrySet())
                        && new Claims(account.claims())
                                .text("sub")
                                .filter(account.name()::equals)
                                .isPresent()
                        && isGoodForAWhile(request, new Claims(account.claims(), token.lineage())))
                .map(token -> new Issued(token.text(), account, token.expires().orElse(Instant.MAX)));
    }

    private boolean isGoodForAWhile(Request request, Claims claims) {
        var enough = Instant.now().plus(settings.lifetime().dividedBy(LEAST_FRACTION));
        return claims.expires().filter(enough::isBefore).isPresent() && !verifier.isRevoked(request, claims);
    }

    private static Issued issued(JwtSigner.Signed signed, Account account) {
        return new Issued(signed.token(), account, signed.claims().expires().orElseThrow());
    }

    private static Owner owner(Account account, String source) {
        return new Owner(source, new Claims(account.properties()).text("authDb").orElse(""), account.name());
    }

    @Override
    public Optional<Authentication> verify(Request request, String name, String token) {
        if (token.chars().filter(c -> c == '.').count() != 2) {
            return Optional.empty();
        }
        return verifier.verify(request, token)
                .filter(verified ->
                        verified.claims().text("sub").filter(name::equals).isPresent())
                .flatMap(verified -> verified.claims()
                        .texts("roles")
                        .map(roles -> verified.authenticated(name, roles, List.of(), token)));
    }

    @Override
    public void invalidate(Request request, Account account, Credentials credentials) {
        request.requireThread();
        var lineage = credentials.lineage();
        var owner = owner(account, lineage.map(Lineage::source).orElse(credentials.source()));
        var known = last.getIfPresent(owner);
        var ends = new ArrayList<Runnable>();
        var lineages = new LinkedHashSet<String>();
        if (known != null) {
            var claims = known.signed.claims();
            ends.add(() -> revoke(claims.id(), claims.expires()));
            claims.lineage().map(Lineage::id).ifPresent(lineages::add);
        }
        credentials.token().ifPresent(token -> ends.add(() -> revoke(token.id(), token.expires())));
        lineage.map(Lineage::id).ifPresent(lineages::add);
        revokeDescendants(lineages, ends);
        all(ends);
        if (known != null) {
            last.asMap().remove(owner, known); // only now: otherwise a second attempt would not find it
        }
    }

    private void revoke(Optional<String> id, Optional<Instant> expires) {
        if (settings.revokes()) {
            id.ifPresent(known -> verifier.revocations().revoke(known, expires));
        }
    }

    /// Revokes all tokens of these lineages, for the lifetime of a token that is issued now, and ends their sessions.
    private void revokeDescendants(Set<String> lineages, List<Runnable> ends) {
        var longest = settings.lifetime().compareTo(sessions.access()) < 0 ? sessions.access() : settings.lifetime();
        var until = Optional.of(Instant.now().plus(longest));
        lineages.forEach(lineage -> ends.add(() -> revoke(Optional.of(lineage), until)));
        if (settings.revokes()) {
            lineages.forEach(lineage -> ends.add(() -> sessions.ending().accept(lineage)));
        }
    }

    /// Performs all, also after some have failed.
    ///
    /// @throws RuntimeException the first failure
    private static void all(List<Runnable> ends) {
        RuntimeException failure = null;
        for (var end : ends) {
            try {
                end.run();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String type() {
        return "Bearer";
    }

    @Override
    public String location(Account account) {
        return settings.location();
    }
}
