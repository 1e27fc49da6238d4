package org.restheart.core.accounts;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityOAuth;
import org.restheart.core.config.SecurityStores.SessionsConfig;
import org.restheart.core.config.SecurityTokens;
import org.restheart.core.routing.Binding;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;
import org.restheart.security.OriginPattern;
import org.restheart.security.TokenManager;
import org.restheart.security.apikey.KeyForm;
import org.restheart.security.jwt.Jwt;
import org.restheart.security.jwt.JwtAuthenticator;
import org.restheart.security.jwt.ResourceTokens;
import org.restheart.security.jwt.Revocations;
import org.restheart.security.realm.Generations;
import org.restheart.security.realm.Realm;
import org.restheart.security.token.AuthorizationService;
import org.restheart.security.token.ClientRegistrationService;
import org.restheart.security.token.JwtTokenManager;
import org.restheart.security.token.LogoutService;
import org.restheart.security.token.PkceCodeGrant;
import org.restheart.security.token.RandomTokenManager;
import org.restheart.security.token.RenewableSessions;
import org.restheart.security.token.RenewableSessions.RefreshToken;
import org.restheart.security.token.ResourceGrant;
import org.restheart.security.token.ResourceMetadataService;
import org.restheart.security.token.ServerMetadataService;
import org.restheart.security.token.TokenBasicAuthenticator;
import org.restheart.security.token.TokenCookie;
import org.restheart.security.token.TokenService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tokens, cookies and OAuth as configured.
final class TokenParts {
    private static final Logger LOG = LoggerFactory.getLogger(TokenParts.class);

    private final SecurityTokens config;
    private final SecurityOAuth oauth;
    private final Jwt jwt;
    private final Generations accounts;
    private final Optional<ResourceGrant> resources;
    private final Optional<TokenManager> manager;

    /// Whether its tokens are the gateway's own, which bearers use.
    private final boolean makesBearers;

    /// @param stored holds API keys, sessions, and the revocations that gateways share; without it, revocations are
    ///     those of this process
    /// @param added by a plugin, in place of what is configured
    TokenParts(
            SecurityConfig security,
            Map<String, Realm> realms,
            Optional<StoredSecurity> stored,
            Optional<TokenManager> added) {
        this.config = security.tokens();
        this.oauth = security.oauth();
        var keyLimits = stored.flatMap(all -> all.apiKeys)
                .<Generations.KeyLimits>map(keys -> keys)
                .orElse(Generations.KeyLimits.NONE);
        this.accounts = new Generations(realms, config.jwt().jwt().accountKey(), keyLimits);
        var endpoint = oauth.modelContext().map(TokenParts::tokensOf);
        this.resources = endpoint.map(tokens -> new ResourceGrant(tokens, scopes()));
        var revocations = Revocations.of(
                stored.<Revocations.Store>flatMap(all -> all.revocations),
                config.jwt().settings().leeway());
        this.jwt = config.jwt().jwt().with(accounts, revocations, endpoint);
        var own = manager(sessions(security, stored));
        this.manager = added.map(tokens -> own.<TokenManager>map(replaced -> new AddedTokens(tokens, replaced))
                        .orElse(tokens))
                .or(() -> own);
        this.makesBearers = added.isEmpty()
                && config.jwtTokens().isPresent()
                && config.bearer().isPresent();
        if (added.isPresent() && own.isPresent()) {
            LOG.warn("jwtTokenManager and rndTokenManager are not used: a plugin makes the tokens");
        }
        if (config.tokenBasic() && manager.isEmpty()) {
            LOG.warn("tokenBasicAuthMechanism is off: no token manager is enabled");
        }
        if ((config.cookieSet() || config.cookieRead()) && manager.isPresent() && !cookiesWork()) {
            LOG.warn("cookies are off: no enabled mechanism accepts the tokens of the enabled token manager");
        }
    }

    private static ResourceTokens tokensOf(SecurityOAuth.ModelContext endpoint) {
        var base = endpoint.resource().base();
        return new ResourceTokens(
                endpoint.resource().path(),
                base::of,
                base.configured().isPresent(),
                endpoint.acceptsTokensWithoutAudience());
    }

    private List<String> scopes() {
        return oauth.modelContext()
                .map(endpoint -> endpoint.resource().scopes())
                .orElse(List.of());
    }

    /// Has the ends of tokens reported, before they expire.
    ///
    /// @param revoked receives the id of a token, or of a log-in whose tokens are revoked
    /// @param invalidated receives the name of an account whose token without id has ended
    void watch(Consumer<String> revoked, Consumer<String> invalidated) {
        jwt.verifier().revocations().watch(revoked);
        manager.ifPresent(tokens -> tokens.watch(invalidated));
    }

    /// The sessions that end when tokens are revoked.
    private static JwtTokenManager.Sessions sessions(SecurityConfig security, Optional<StoredSecurity> stored) {
        return stored.flatMap(all -> all.sessions)
                .flatMap(store -> security.sessions()
                        .map(settings -> new JwtTokenManager.Sessions(settings.access(), store::deleteOf)))
                .orElse(JwtTokenManager.Sessions.NONE);
    }

    private Optional<TokenManager> manager(JwtTokenManager.Sessions sessions) {
        return config.jwtTokens()
                .<TokenManager>map(settings ->
                        new JwtTokenManager(jwt.signer().orElseThrow(), jwt.verifier(), accounts, settings, sessions))
                .or(() -> config.randomTokens()
                        .map(random -> new RandomTokenManager(random.lifetime(), random.uri(), accounts)));
    }

    boolean makesBearers() {
        return makesBearers;
    }

    private boolean cookiesWork() {
        return config.tokenBasic() || makesBearers;
    }

    /// A key for a purpose, derived from that of tokens.
    byte[] key(String purpose) {
        return jwt.derivedKey(purpose);
    }

    boolean useUp(String id, Instant until) {
        return jwt.verifier().revocations().revoke(id, Optional.of(until));
    }

    /// Sessions, whose tokens bearers use.
    RenewableSessions sessions(
            RefreshToken.Store store, KeyForm form, SessionsConfig sessions, String keysRealm, ClientAddress clients) {
        var revoked = config.jwtTokens()
                .map(JwtTokenManager.Settings::lifetime)
                .filter(lifetime -> lifetime.compareTo(sessions.access()) > 0)
                .orElse(sessions.access());
        return new RenewableSessions(
                store,
                form,
                accounts,
                jwt,
                new RenewableSessions.Settings(
                        sessions.access(),
                        sessions.refresh(),
                        keysRealm,
                        sessions.anonymous(),
                        propertyClaims(),
                        clients,
                        revoked));
    }

    private List<String> propertyClaims() {
        return config.jwtTokens().map(JwtTokenManager.Settings::propertyClaims).orElse(List.of());
    }

    /// Precedes mechanisms that check passwords.
    Optional<Authenticator> tokenBasic() {
        return config.tokenBasic() ? manager.map(TokenBasicAuthenticator::new) : Optional.empty();
    }

    Optional<Authenticator> bearer() {
        return config.bearer().map(settings -> new JwtAuthenticator(jwt.verifier(), settings));
    }

    /// Takes credentials from the cookie.
    Optional<UnaryOperator<Request>> cookie() {
        var rule = cookieRule();
        return config.cookieRead() && cookiesWork()
                ? Optional.of(request -> config.cookie().credentialsIn(request, rule))
                : Optional.empty();
    }

    private AmbientCredentials cookieRule() {
        return config.cookieChecksOrigin()
                ? AmbientCredentials.cookie(
                        OriginPattern.anyOf(config.cookieOrigins()),
                        config.cookie().isSentAcrossSites())
                : AmbientCredentials.NONE;
    }

    /// Whether the request is one for a token. Its response is useless to a page of another origin, which
    /// cannot read it when the browser has added the password.
    boolean isLogIn(Request request) {
        return config.service().enabled()
                && request.method() == Method.POST
                && request.path().decoded().equals(config.service().uri());
    }

    List<Binding> bindings() {
        var bindings = new ArrayList<Binding>();
        if (config.service().enabled()) {
            var settings = new TokenService.Settings(config.service().uri(), config.redirect(), makesBearers);
            var cookie =
                    config.cookieSet() && cookiesWork() ? Optional.of(config.cookie()) : Optional.<TokenCookie>empty();
            bindings.add(Binding.of(new TokenService(settings, manager, cookie, codes(), resources), config.service()));
        }
        if (config.logout().enabled()) {
            bindings.add(Binding.of(new LogoutService(config.cookie(), manager), config.logout()));
        }
        bindings.addAll(oauthBindings());
        return bindings;
    }

    private Optional<PkceCodeGrant> codes() {
        return oauth.authorization().isPresent()
                        && jwt.signer().isPresent()
                        && config.jwtTokens().isPresent()
                ? Optional.of(new PkceCodeGrant(
                        jwt.verifier(),
                        jwt.signer().get(),
                        config.jwtTokens().get().lifetime(),
                        resources))
                : Optional.empty();
    }

    private List<Binding> oauthBindings() {
        var bindings = new ArrayList<Binding>();
        oauth.serverMetadata()
                .ifPresent(part -> bindings.add(Binding.of(
                        new ServerMetadataService(
                                part.base(), part.tokenUri(), part.authorizeUri(), part.registrationUri(), scopes()),
                        part.endpoint())));
        oauth.resourceMetadata()
                .ifPresent(part -> bindings.add(Binding.of(
                        new ResourceMetadataService(
                                part.base(),
                                part.endpoint().uri(),
                                oauth.modelContext().map(SecurityOAuth.ModelContext::resource)),
                        part.endpoint())));
        oauth.authorization()
                .ifPresent(part -> bindings.add(Binding.of(
                        new AuthorizationService(
                                new AuthorizationService.Settings(
                                        part.loginUrl(),
                                        part.redirects(),
                                        propertyClaims(),
                                        oauth.serverMetadata().map(SecurityOAuth.ServerMetadata::base)),
                                jwt.signer().orElseThrow(),
                                accounts,
                                resources),
                        part.endpoint())));
        oauth.registration().ifPresent(endpoint -> bindings.add(Binding.of(new ClientRegistrationService(), endpoint)));
        return bindings;
    }

    /// Tokens of a plugin in place of the gateway's own, which OAuth and sessions still make: these end with a log-out,
    /// too.
    record AddedTokens(TokenManager added, TokenManager own) implements TokenManager {
        @Override
        public Issued issue(
                Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
            return added.issue(request, account, credentials, renew, limits);
        }

        @Override
        public Optional<Authentication> verify(Request request, String name, String token) {
            return added.verify(request, name, token);
        }

        @Override
        public void invalidate(Request request, Account account, Credentials credentials) {
            try {
                own.invalidate(request, account, credentials);
            } finally {
                added.invalidate(request, account, credentials);
            }
        }

        @Override
        public void watch(Consumer<String> receiver) {
            added.watch(receiver);
        }

        @Override
        public String type() {
            return added.type();
        }

        @Override
        public String location(Account account) {
            return added.location(account);
        }
    }
}
