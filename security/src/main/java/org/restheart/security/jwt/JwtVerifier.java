package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.util.Base64URL;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.realm.Generations;
import org.restheart.security.realm.KeyedDigest;

/// Checks tokens: signature, issuer, audience, times. A valid token is cached under a keyed digest, so that its
/// signature is verified once; its times, its revocation and its account are checked every time. Thread-safe.
public final class JwtVerifier {
    static final int MAX_LENGTH = 8_192;
    /// The type of tokens that are authorization codes: codes and other tokens must not be accepted in place
    /// of each other.
    static final JOSEObjectType CODE = new JOSEObjectType("authorization-code+jwt");

    private static final int MAX_REMEMBERED = 10_000;

    private final Jwt.Settings settings;
    private final Jwt.Keys keys;
    private final Revocations revocations;
    private final Optional<Generations> accounts;
    private final Optional<ResourceTokens> resource;
    private final KeyedDigest digest = new KeyedDigest();
    private final Cache<KeyedDigest.Digest, Claims> verified = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_REMEMBERED)
            .build();

    JwtVerifier(Jwt.Settings settings, Jwt.Keys keys) {
        this(settings, keys, Revocations.of(Optional.empty(), settings.leeway()), Optional.empty(), Optional.empty());
    }

    /// @param accounts empty if no tokens are issued
    /// @param resource empty if no endpoint requires tokens of its own
    private JwtVerifier(
            Jwt.Settings settings,
            Jwt.Keys keys,
            Revocations revocations,
            Optional<Generations> accounts,
            Optional<ResourceTokens> resource) {
        this.settings = settings;
        this.keys = keys;
        this.revocations = revocations;
        this.accounts = accounts;
        this.resource = resource;
    }

    JwtVerifier with(Generations generations, Revocations revoked, Optional<ResourceTokens> endpoint) {
        return new JwtVerifier(settings, keys, revoked, Optional.of(generations), endpoint);
    }

    public Revocations revocations() {
        return revocations;
    }

    /// A token that is valid now, for this request. Authorization codes are refused.
    ///
    /// @throws org.restheart.http.ProblemException 503 if the issuer's keys cannot be fetched
    public Optional<VerifiedToken> verify(Request request, String token) {
        return verify(request, token, false)
                .filter(valid ->
                        resource.isEmpty() || resource.get().accept(request, valid.claims(), settings.audience()));
    }

    /// The claims of an authorization code that is valid and unused.
    public Optional<Claims> verifyCode(Request request, String code) {
        return verify(request, code, true).map(VerifiedToken::claims);
    }

    private Optional<VerifiedToken> verify(Request request, String token, boolean code) {
        if (token.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var key = digest.of(token, code ? "code" : "");
        var known = verified.getIfPresent(key);
        var claims = known != null ? Optional.of(known) : check(request, token, code);
        var valid = claims.flatMap(good -> valid(request, good, code ? Duration.ZERO : settings.leeway()));
        if (known == null) {
            valid.ifPresent(good -> verified.put(key, good.claims()));
        } else if (valid.isEmpty()) {
            verified.invalidate(key);
        }
        return valid;
    }

    private Optional<VerifiedToken> valid(Request request, Claims claims, Duration leeway) {
        if (!claims.areValidAt(Instant.now(), leeway, settings.expiryRequired()) || isRevoked(request, claims)) {
            return Optional.empty();
        }
        var scopes = resource.isPresent() ? claims.scopes() : Set.<String>of();
        if (claims.lineage().isEmpty() || accounts.isEmpty()) {
            return Optional.of(new VerifiedToken(claims, scopes, Optional.empty()));
        }
        return claims.text("sub")
                .flatMap(name -> accounts.get().of(request, claims.lineage().get(), name))
                .map(account -> new VerifiedToken(claims, scopes, Optional.of(account)));
    }

    /// Whether the token, or the one from which it was renewed, has been revoked. Calls
    /// [Request#requireThread()] before it blocks.
    public boolean isRevoked(Request request, Claims claims) {
        return Stream.concat(claims.id().stream(), claims.lineage().map(Lineage::id).stream())
                .anyMatch(id -> revocations.contains(request, id));
    }

    private Optional<Claims> check(Request request, String token, boolean code) {
        try {
            var jws = JWSObject.parse(token);
            var header = jws.getHeader();
            if (!header.getAlgorithm().equals(settings.algorithm()) || CODE.equals(header.getType()) != code) {
                return Optional.empty();
            }
            return isCanonical(jws, token) && hasSignature(request, jws, header) ? claims(jws) : Optional.empty();
        } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException _) {
            return Optional.empty(); // malformed token
        }
    }

    /// Base64 leaves bits unused: without this check several texts would encode the same signature (RFC 4648, 3.5).
    private static boolean isCanonical(JWSObject jws, String token) {
        var signature = Base64URL.encode(jws.getSignature().decode()).toString();
        return token.endsWith("." + signature);
    }

    private boolean hasSignature(Request request, JWSObject jws, JWSHeader header) throws JOSEException {
        for (var verifier : keys.verifiers(request, header)) {
            // Refuses headers with critical parameters that it does not know (RFC 7515, 4.1.11).
            if (verifier.supportedJWSAlgorithms().contains(header.getAlgorithm()) && jws.verify(verifier)) {
                return true;
            }
        }
        return false;
    }

    private Optional<Claims> claims(JWSObject jws) {
        try {
            if (!(JsonParser.parse(jws.getPayload().toString()) instanceof BsonDocument payload)) {
                return Optional.empty();
            }
            var claims = new Claims(payload, Claims.lineage(jws.getHeader()));
            boolean issued = settings.issuer().isEmpty() || settings.issuer().equals(claims.text("iss"));
            return issued && claims.areFor(settings.audience()) ? Optional.of(claims) : Optional.empty();
        } catch (MalformedJsonException _) {
            return Optional.empty();
        }
    }

    /// A valid token.
    ///
    /// @param scopes to which it is limited; none where no endpoint has scopes
    /// @param current the account for which this gateway issued it, as it is now; empty for tokens of other issuers
    public record VerifiedToken(Claims claims, Set<String> scopes, Optional<Account> current) {
        private static final String ROLES = "roles";

        /// The account that the token names. The properties of one of this gateway are its
        /// current ones, so that rules about them hold for a token as for the password; claims
        /// come before them. The roles that it has beside those of the API key of its log-in
        /// limit what the token may do, as they limit the key, and rules about `@user.roles` see
        /// all of them, as they do for the key.
        public Authentication.Authenticated authenticated(
                String name, List<String> roles, List<String> fixed, String text) {
            var own = with(roles, fixed);
            var token = new Credentials.Token(text, claims.id(), claims.expires(), claims.lineage(), scopes);
            return new Authentication.Authenticated(
                    new Account(
                            name,
                            own,
                            current.map(this::properties).orElse(claims.payload()),
                            current.filter(Account::isLimited)
                                    .map(account -> with(account.all(), fixed))
                                    .orElse(own),
                            claims.payload(),
                            current.filter(Account::hasOtherName).isPresent()),
                    new Credentials(Credentials.TOKENS, Optional.of(token)));
        }

        private BsonDocument properties(Account account) {
            var all = merged(account.properties(), claims.payload());
            if (account.isLimited()) {
                var roles = account.properties().get(ROLES);
                all.remove(ROLES);
                if (roles != null) {
                    all.append(ROLES, roles);
                }
            }
            return all;
        }

        private static List<String> with(List<String> roles, List<String> fixed) {
            var all = new ArrayList<>(roles);
            all.addAll(fixed);
            return all;
        }

        /// Both, with the values of the second document where both have a value. Documents within them are merged, too:
        /// a claim may be a part of one.
        private static BsonDocument merged(BsonDocument first, BsonDocument second) {
            var all = new BsonDocument();
            all.putAll(first);
            second.forEach((name, value) -> all.append(
                    name,
                    first.get(name) instanceof BsonDocument inner && value instanceof BsonDocument over
                            ? merged(inner, over)
                            : value));
            return all;
        }
    }
}
