package org.restheart.security.token;

import static org.restheart.http.AuthorizationHeader.BEARER;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.module.LogIns;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.Credentials.Origin;
import org.restheart.security.apikey.KeyForm;
import org.restheart.security.jwt.Claims;
import org.restheart.security.jwt.Jwt;
import org.restheart.security.jwt.Jwt.JwtSigner;
import org.restheart.security.jwt.Revocations;
import org.restheart.security.realm.Generations;

/// Begins, renews and ends sessions. A session is bounded by the credentials that began it: its tokens become
/// invalid with the account, its password or the API key, and have no roles beyond these. Thread-safe; all methods
/// may block.
public final class RenewableSessions implements LogIns {
    private static final String PREFIX = "rhr_";

    private final RefreshToken.Store store;
    private final KeyForm form;
    private final Generations accounts;
    private final JwtSigner signer;
    private final Revocations revocations;
    private final Settings settings;

    /// @param anonymous the account of anonymous sessions, in the realm of keys
    /// @param clients determines the addresses by which anonymous sessions are counted
    /// @param revoked for how long the lineage of a session that was ended is refused: no token of it
    /// is valid longer
    public record Settings(
            Duration access,
            Duration refresh,
            String keysRealm,
            Optional<String> anonymous,
            List<String> propertyClaims,
            ClientAddress clients,
            Duration revoked) {}

    public RenewableSessions(RefreshToken.Store store, KeyForm form, Generations accounts, Jwt jwt, Settings settings) {
        this.store = store;
        this.form = form;
        this.accounts = accounts;
        this.signer = jwt.signer().orElseThrow();
        this.revocations = jwt.verifier().revocations();
        this.settings = settings;
    }

    public Authenticator authenticator() {
        return new RefreshAuthenticator(store, form, accounts, revocations);
    }

    @Override
    public Optional<Session> begin(Request request, Provider provider) {
        var credentials = request.attribute(Credentials.KEY);
        var account = request.caller().account();
        return credentials.isPresent() && account.isPresent() && isOf(provider, credentials.get(), account.get())
                ? Optional.of(begin(request, account.get(), credentials.get()))
                : Optional.empty();
    }

    /// A mechanism may take one kind of credentials in place of another. A token that was issued for a
    /// scope is not exchanged for one without.
    private static boolean isOf(Provider provider, Credentials credentials, Account account) {
        return switch (provider) {
            case PASSWORD -> credentials.token().isEmpty();
            case API_KEY -> credentials.source().equals(Credentials.API_KEYS);
            case TOKEN ->
                credentials.source().equals(Credentials.TOKENS)
                        && !account.claims().containsKey("scope");
        };
    }

    /// A session that begins with a token ends with the token: an account of another issuer cannot be looked up, and
    /// a token of this gateway must not be extended by a session.
    private Session begin(Request request, Account account, Credentials credentials) {
        request.requireThread();
        var name = Claims.realmName(account);
        var lineage = accounts.ofSession(request, account, credentials, settings.keysRealm());
        var now = Instant.now();
        var latest = now.plus(settings.refresh());
        var isKey = credentials.source().equals(Credentials.API_KEYS); // looked up at every renewal
        var end = credentials
                .expires()
                .filter(shown -> !isKey && latest.isAfter(shown))
                .orElse(latest);
        var current = lineage.flatMap(known -> accounts.of(request, known, name))
                .orElse(Account.ofClaims(name, account.roles(), account.claims()));
        return begin(request, current, lineage, now, end);
    }

    private Session begin(Request request, Account account, Optional<Lineage> lineage, Instant now, Instant end) {
        var token = KeyForm.random(PREFIX);
        var address =
                lineage.filter(Lineage::isAnonymous).map(_ -> settings.clients().of(request));
        store.insert(new RefreshToken(
                form.digest(token), account.name(), lineage, account.roles(), account.claims(), address, now, end));
        return new Session(sign(account, lineage, end), token, account.name());
    }

    @Override
    public Optional<Session> beginAnonymously(Request request) {
        request.requireThread();
        var now = Instant.now();
        return settings.anonymous()
                .flatMap(name -> accounts.current(request, settings.keysRealm(), name))
                .map(current -> begin(
                        request,
                        current.account(),
                        Optional.of(Generations.ofNothing(settings.keysRealm(), current)),
                        now,
                        now.plus(settings.refresh())));
    }

    @Override
    public Optional<String> renew(Request request) {
        var account = request.caller().account().orElseThrow();
        var credentials = request.require(Credentials.KEY);
        boolean isOver = credentials.isAnonymous()
                && settings.anonymous().filter(account.name()::equals).isEmpty();
        return isOver
                ? Optional.empty()
                : Optional.of(sign(
                        account, credentials.lineage(), credentials.expires().orElseThrow()));
    }

    /// With all others of its lineage, even if its access tokens cannot be revoked. These are refused by this server at
    /// once, by others within a second.
    @Override
    public void end(Request request) {
        var credentials = request.require(Credentials.KEY);
        var lineage = credentials.lineage();
        try {
            lineage.ifPresent(known ->
                    revocations.revoke(known.id(), Optional.of(Instant.now().plus(settings.revoked()))));
        } finally {
            lineage.map(Lineage::id).ifPresent(store::deleteOf);
            credentials.token().flatMap(Credentials.Token::id).ifPresent(store::delete);
        }
    }

    private String sign(Account account, Optional<Lineage> lineage, Instant end) {
        var lifetime = Collections.min(List.of(settings.access(), Duration.between(Instant.now(), end)));
        var claims = TokenClaims.of(account, settings.propertyClaims(), lineage.isPresent());
        return signer.sign(account.name(), lifetime, claims, lineage).token();
    }

    /// Authenticates with a refresh token as bearer token: for the renewal of sessions, and nowhere else.
    private record RefreshAuthenticator(
            RefreshToken.Store store, KeyForm form, Generations accounts, Revocations revocations)
            implements Authenticator {
        /// The source of credentials that are refresh tokens; the id of their token is its digest.
        static final String SOURCE = "refreshToken";

        @Override
        public Optional<String> scheme() {
            return Optional.of(BEARER);
        }

        @Override
        public Authentication authenticate(Request request) {
            var sent = AuthorizationHeader.of(request.headers())
                    .filter(field -> field.has(BEARER))
                    .map(AuthorizationHeader::credentials);
            if (sent.isEmpty()) {
                return Authentication.ABSENT;
            }
            if (KeyForm.isTooLong(sent.get())) {
                return Authentication.REJECTED;
            }
            return store.find(request, form.digest(sent.get()))
                    .filter(token -> token.expiresAt().isAfter(Instant.now()) && !isRevoked(request, token))
                    .<Authentication>flatMap(token -> owner(request, token)
                            .map(account -> new Authentication.Authenticated(account, credentials(token))))
                    .orElse(Authentication.REJECTED);
        }

        private boolean isRevoked(Request request, RefreshToken token) {
            return token.lineage()
                    .filter(lineage -> revocations.contains(request, lineage.id()))
                    .isPresent();
        }

        /// The current account, with the roles that the session still allows; empty if the session is no
        /// longer valid.
        private Optional<Account> owner(Request request, RefreshToken token) {
            return token.lineage()
                    .map(lineage -> accounts.of(request, lineage, token.account()))
                    .orElseGet(() -> Optional.of(Account.ofClaims(token.account(), token.roles(), token.claims())));
        }

        private static Credentials credentials(RefreshToken token) {
            return new Credentials(
                    SOURCE,
                    Optional.of(new Credentials.Token(
                            "", Optional.of(token.digest()), Optional.of(token.expiresAt()), token.lineage())));
        }
    }

    /// The stored record of a refresh token, without the token itself. Immutable.
    ///
    /// @param lineage of the session; empty for an account of another issuer
    /// @param roles of an account of another issuer; those of others are looked up
    /// @param claims of an account of another issuer
    public record RefreshToken(
            String digest,
            String account,
            Optional<Lineage> lineage,
            List<String> roles,
            BsonDocument claims,
            Optional<String> address,
            Instant createdAt,
            Instant expiresAt) {

        /// The store of refresh tokens. Thread-safe; all methods block.
        public interface Store {
            /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
            Optional<RefreshToken> find(Request request, String digest);

            /// Stores a token. An account has a bounded number of them: beyond, its oldest is deleted.
            void insert(RefreshToken token);

            void delete(String digest);

            void deleteOf(String lineage);
        }

        /// Empty for a document that is not a refresh token.
        public static Optional<RefreshToken> of(BsonDocument stored) {
            return stored.get("_id") instanceof BsonString digest
                            && stored.get("account") instanceof BsonString account
                            && stored.get("createdAt") instanceof BsonDateTime created
                            && stored.get("expiresAt") instanceof BsonDateTime expires
                    ? Optional.of(new RefreshToken(
                            digest.getValue(),
                            account.getValue(),
                            lineage(stored),
                            BsonTexts.among(stored.get("roles")),
                            stored.getDocument("claims", new BsonDocument()),
                            BsonTexts.of(stored, "address"),
                            Instant.ofEpochMilli(created.getValue()),
                            Instant.ofEpochMilli(expires.getValue())))
                    : Optional.empty();
        }

        private static Optional<Lineage> lineage(BsonDocument stored) {
            return stored.get("session") instanceof BsonString id
                            && stored.get("realm") instanceof BsonString realm
                            && stored.get("generation") instanceof BsonString generation
                    ? Optional.of(new Lineage(id.getValue(), realm.getValue(), generation.getValue(), origin(stored)))
                    : Optional.empty();
        }

        private static Origin origin(BsonDocument stored) {
            return stored.containsKey("address")
                    ? new Origin.Nothing()
                    : BsonTexts.of(stored, "apiKey")
                            .<Origin>map(Origin.ApiKey::new)
                            .orElseGet(Origin.Password::new);
        }

        public BsonDocument toDocument() {
            var document = new BsonDocument("_id", new BsonString(digest)).append("account", new BsonString(account));
            lineage.ifPresentOrElse(
                    known -> {
                        document.append("session", new BsonString(known.id()))
                                .append("realm", new BsonString(known.source()))
                                .append("generation", new BsonString(known.generation()));
                        known.apiKey().ifPresent(handle -> document.append("apiKey", new BsonString(handle)));
                    },
                    () -> document.append("roles", BsonTexts.array(roles)).append("claims", claims));
            address.ifPresent(text -> document.append("address", new BsonString(text)));
            return document.append("createdAt", new BsonDateTime(createdAt.toEpochMilli()))
                    .append("expiresAt", new BsonDateTime(expiresAt.toEpochMilli()));
        }
    }
}
