package org.restheart.core.accounts;

import static org.restheart.bson.BsonValues.object;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.ApiKeyConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.core.config.SecurityStores.SessionsConfig;
import org.restheart.core.routing.Binding;
import org.restheart.data.Access;
import org.restheart.http.CacheMeter;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.PresentedCredential;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.changestream.Reauthorization;
import org.restheart.rest.changestream.Reauthorization.AuthorizationBasis;
import org.restheart.rest.importing.ImportOwners;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.Challenges;
import org.restheart.security.Credentials;
import org.restheart.security.FailedAttempts;
import org.restheart.security.OriginPattern;
import org.restheart.security.Policy;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.RolesService;
import org.restheart.security.SecurityFilter;
import org.restheart.security.TokenManager;
import org.restheart.security.Vetoer;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.AclAuthorizer.FilePermissions;
import org.restheart.security.acl.PermissionReader;
import org.restheart.security.apikey.ApiKeyAuthenticator;
import org.restheart.security.apikey.ApiKeyService;
import org.restheart.security.apikey.KeyForm;
import org.restheart.security.jwt.Claims;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.realm.BasicAuthenticator;
import org.restheart.security.realm.DigestAuthenticator;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.Realm;
import org.restheart.security.realm.UsersCollection;
import org.restheart.security.token.RenewableSessions;
import org.restheart.security.token.TokenService;
import org.restheart.security.users.UsersGuard;

/// Security as configured: the security filter of every binding, the services of the security module, and the
/// [DataGuards] of other services.
public final class Security implements Reauthorization, CallerSecurity, AutoCloseable {
    private static final int DEFAULT_COST = 12;

    private final SecurityConfig config;
    private final PasswordHashes hashes;
    private final CredentialChanges changes;
    private final Optional<StoredSecurity> stored;
    private final Map<String, Realm> realms;
    private final TokenParts tokens;
    private final Optional<RolesService> roles;
    private final Optional<RenewableSessions> sessions;
    private final Optional<KeyParts> apiKeys;
    private final FilePermissions filePermissions;
    private final Policy policy;
    private final SecurityFilter secured;
    private final SecurityFilter open;
    private final DataGuards guards;

    /// @param client closed by the caller, after this
    /// @param tasks closed by the caller, between the two
    /// @throws org.restheart.core.config.ConfigException for a key that cannot be used
    public Security(SecurityConfig config, Optional<MongoClient> client, BackgroundTasks tasks, AddedPolicy added) {
        this.config = config;
        this.roles =
                Optional.of(config.roles()).filter(Endpoint::enabled).map(endpoint -> new RolesService(endpoint.uri()));
        this.hashes = new PasswordHashes(
                config.mongoRealm().map(MongoRealmConfig::bcryptCost).orElse(DEFAULT_COST),
                config.guards().clientAddress());
        this.changes = new CredentialChanges(tasks);
        this.stored = client.map(mongo -> new StoredSecurity(tasks, mongo, config, hashes, changes));
        this.realms = realms();
        this.tokens = new TokenParts(config, realms, stored, added.tokens());
        tokens.watch(changes::tokenRevoked, changes::accountChanged);
        this.sessions = stored.flatMap(all -> all.sessions)
                .flatMap(store -> config.sessions().map(settings -> sessions(store, settings)));
        this.apiKeys = stored.flatMap(all -> all.apiKeys)
                .flatMap(keys -> config.apiKeys().map(settings -> apiKeys(keys, settings)));
        this.filePermissions = new FilePermissions(config.filePermissions().orElse(List.of()));
        this.policy = policy(added);
        this.secured = policy.securityFilter(true);
        this.open = policy.securityFilter(false);
        this.guards = new DataGuards(config, stored, hashes);
    }

    private RenewableSessions sessions(MongoRefreshTokens store, SessionsConfig settings) {
        var form = new KeyForm(config.apiKeys().flatMap(ApiKeyConfig::pepper));
        return tokens.sessions(
                store,
                form,
                settings,
                config.accountsRealm().component(),
                config.guards().clientAddress());
    }

    private KeyParts apiKeys(MongoApiKeys keys, ApiKeyConfig settings) {
        var form = new KeyForm(settings.pepper());
        var realmName = config.accountsRealm();
        var accounts = realm(realmName);
        return new KeyParts(
                new ApiKeyAuthenticator(keys, form, accounts, settings.headerNames()),
                new ApiKeyService(
                        keys,
                        form,
                        accounts,
                        new ApiKeyService.Settings(
                                config.rootRole(),
                                settings.unlimited(),
                                settings.longest(),
                                settings.selfService(),
                                realmName.component())));
    }

    private Map<String, Realm> realms() {
        var byName = new HashMap<String, Realm>();
        config.fileUsers()
                .ifPresent(
                        users -> byName.put(SecurityConfig.RealmName.FILE.component(), new FileRealm(users, hashes)));
        stored.flatMap(all -> all.realm)
                .ifPresent(realm -> byName.put(SecurityConfig.RealmName.MONGO.component(), realm));
        return Map.copyOf(byName);
    }

    private Realm realm(SecurityConfig.RealmName name) {
        return Optional.ofNullable(realms.get(name.component())).orElseThrow();
    }

    /// What the caches of stored accounts, keys and permissions do.
    public List<CacheMeter> caches() {
        return stored.map(StoredSecurity::caches).orElse(List.of());
    }

    public boolean foundDefaultPassword() {
        return stored.filter(all -> all.usersAtStart.foundDefaultPassword()).isPresent();
    }

    /// Says, for the console alone, which random password the first account has got. Never complete if it has none.
    public CompletableFuture<String> firstAccount() {
        return stored.map(all -> all.usersAtStart.firstAccount()).orElseGet(CompletableFuture::new);
    }

    /// Takes over accounts and permissions from files and from the configuration itself; which of these are
    /// used stays as it was.
    public void reload(SecurityConfig changed) {
        if (realms.get(SecurityConfig.RealmName.FILE.component()) instanceof FileRealm realm) {
            changed.fileUsers().ifPresent(realm::replace);
        }
        changed.filePermissions().ifPresent(filePermissions::replace);
        changes.anyChanged();
    }

    /// The filter that authenticates and authorizes the requests of a binding.
    public SecurityFilter securityFilter(Binding binding) {
        return binding.secured() ? secured : open;
    }

    /// The same for a service whose clients send credentials elsewhere, and never in the cookie.
    ///
    /// @param located moves credentials to the headers that mechanisms read
    public SecurityFilter securityFilter(Binding binding, UnaryOperator<Request> located) {
        return policy.with(located).securityFilter(binding.secured());
    }

    /// The same for the service that renews sessions: it takes refresh tokens and nothing else.
    public SecurityFilter sessionFilter() {
        return policy.only(sessions.orElseThrow().authenticator()).securityFilter(false);
    }

    /// Whether a password is exchanged for a token that is accepted as `Bearer`: not for that of a plugin.
    public boolean makesBearerTokens() {
        return tokens.makesBearers();
    }

    public Optional<RenewableSessions> sessions() {
        return sessions;
    }

    public Set<String> credentialHeaders() {
        return policy.credentialHeaders();
    }

    @Override
    public List<String> challenges(Request request) {
        return Challenges.areWanted(request)
                ? policy.authenticators().stream()
                        .flatMap(authenticator -> authenticator.challenge(request).stream())
                        .toList()
                : List.of();
    }

    @Override
    public byte[] key(String purpose) {
        return tokens.key(purpose);
    }

    @Override
    public boolean useUp(String id, Instant until) {
        return tokens.useUp(id, until);
    }

    @Override
    public boolean stillAdmits(Request request) {
        return secured.stillAdmits(request);
    }

    /// Of an account with the same roles, whatever its other properties.
    @Override
    public Optional<Request> current(Request request) {
        return secured.current(request);
    }

    @Override
    public Set<AuthorizationBasis> bases(Request request) {
        return CredentialChanges.bases(request);
    }

    /// Sets the observer of changes of accounts, API keys and tokens.
    ///
    /// @param watcher receives what may have changed; empty if it may be anything; must not block
    public void watchCredentials(Consumer<Optional<AuthorizationBasis>> watcher) {
        changes.watch(watcher);
    }

    public ImportOwners importOwners() {
        return new AccountIdentities(realms, config.accountsRealm().component(), secured::stillKnows);
    }

    @Override
    public Problem challenge(Request request) {
        return policy.challenge(request);
    }

    @Override
    public Optional<Account> account(Request request, String name) {
        request.requireThread();
        var first = config.basicRealm().map(this::realm);
        return Stream.concat(first.stream(), realms.values().stream())
                .flatMap(realm -> realm.stored(request, name).stream())
                .map(Realm.Stored::account)
                .findFirst();
    }

    @Override
    public BsonDocument schemes() {
        var schemes = new BsonDocument();
        if (apiKeys.isPresent()) {
            config.apiKeys()
                    .flatMap(settings -> settings.headerNames().stream().findFirst())
                    .ifPresent(
                            name -> schemes.append("apiKey", object("type", "apiKey", "in", "header", "name", name)));
        }
        if (config.basicRealm().isPresent()) {
            schemes.append("basic", object("type", "http", "scheme", "basic"));
        }
        tokens.bearer()
                .ifPresent(_ ->
                        schemes.append("bearer", object("type", "http", "scheme", "bearer", "bearerFormat", "JWT")));
        tokens.cookie().ifPresent(_ -> {
            var name = config.tokens().cookie().name();
            schemes.append("cookie", object("type", "apiKey", "in", "cookie", "name", name));
        });
        if (config.digest().isPresent()) {
            schemes.append("digest", object("type", "http", "scheme", "digest"));
        }
        config.oauth()
                .authorization()
                .ifPresent(codes -> config.oauth().serverMetadata().ifPresent(server -> {
                    var uri = codes.endpoint().uri();
                    var flow = object(
                            "authorizationUrl", uri, "tokenUrl", server.tokenUri(), "scopes", new BsonDocument());
                    schemes.append("oauth2", object("type", "oauth2", "flows", object("authorizationCode", flow)));
                }));
        return schemes;
    }

    @Override
    public Optional<String> rootRole() {
        return config.rootRole();
    }

    private Optional<UsersCollection> users() {
        return config.mongoRealm().map(MongoRealmConfig::users);
    }

    @Override
    public Map<String, String> stores() {
        var stores = new HashMap<String, String>();
        users().ifPresent(users -> stores.put(users.fullName(), "accounts"));
        config.mongoAcl().ifPresent(acl -> stores.put(acl.fullName(), "permissions"));
        return stores;
    }

    @Override
    public Map<String, Set<String>> passwords() {
        return users().map(users -> Map.of(users.fullName(), Set.of(users.passwordProperty())))
                .orElse(Map.of());
    }

    @Override
    public Set<String> collections() {
        var collections = new HashSet<>(stores().keySet());
        collections.addAll(reserved());
        return collections;
    }

    @Override
    public PresentedCredential credential(Request request) {
        var credentials = request.attribute(Credentials.KEY);
        var source = credentials.map(Credentials::source).orElse("");
        var handle = credentials.flatMap(Credentials::apiKey);
        var caller = config.guards().clientAddress().caller(request);
        return new PresentedCredential(
                source + "/" + handle.orElse("") + "/" + caller,
                caller,
                credentials.map(Credentials::scopes).filter(scopes -> !scopes.isEmpty()),
                handle);
    }

    @Override
    public String modelContextBase(Request request) {
        return config.oauth().modelContext().orElseThrow().resource().base().of(request);
    }

    @Override
    public Map<String, BsonDocument> secrets() {
        return users().map(users -> Map.of(users.fullName(), UsersGuard.withoutSecrets(users)))
                .orElse(Map.of());
    }

    @Override
    public Set<String> reserved() {
        return config.reserved().stream().map(MongoNamespace::getFullName).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public BsonDocument checkSyntax(BsonDocument content) {
        return PermissionReader.checkSyntax(content);
    }

    public DataGuards guards() {
        return guards;
    }

    public List<Binding> bindings() {
        var bindings = new ArrayList<>(tokens.bindings());
        roles.ifPresent(service -> bindings.add(Binding.of(service, config.roles())));
        apiKeys.map(KeyParts::service)
                .ifPresent(service -> bindings.add(Binding.prefix(service, ApiKeyService.URI, true)));
        return bindings;
    }

    @Override
    public void close() {
        hashes.close();
    }

    /// Identifies accounts by their realm, their name and a stored identity, so that an account that is created
    /// later under the same name is another one.
    private record AccountIdentities(Map<String, Realm> realms, String keysRealm, Predicate<Request> known)
            implements ImportOwners {
        @Override
        public Optional<String> of(Request request, boolean make) {
            request.requireThread();
            var account = request.caller().account().orElseThrow();
            var credentials = request.require(Credentials.KEY);
            if (credentials.isAnonymous()) { // its account is everybody's
                return Optional.of(request.caller().identity());
            }
            var name = Claims.realmName(account);
            var source = credentials.source().equals(Credentials.API_KEYS) ? keysRealm : credentials.realm();
            var realm = realms.get(source);
            if (realm == null) { // an account of another issuer, which guarantees that the name is unique
                return Optional.of(source + " " + name);
            }
            var identified = make ? realm.identify(request, name) : realm.identified(request, name, true);
            return identified.flatMap(Realm.Identified::identity).map(identity -> source + " " + name + " " + identity);
        }

        @Override
        public Optional<String> key(Request request) {
            return request.require(Credentials.KEY).apiKey();
        }

        @Override
        public boolean isKnown(Request request) {
            return known.test(request);
        }
    }

    record KeyParts(ApiKeyAuthenticator authenticator, ApiKeyService service) {}

    private Policy policy(AddedPolicy added) {
        return new Policy(
                authenticators(added),
                vetoers(added),
                authorizers(added),
                failedAttempts(added),
                passwordRule(),
                tokens.cookie().orElse(UnaryOperator.identity()),
                config.guards().clientAddress(),
                config.checks());
    }

    /// In the order in which they are tried.
    private List<Authenticator> authenticators(AddedPolicy added) {
        var authenticators = new ArrayList<Authenticator>();
        apiKeys.map(KeyParts::authenticator).ifPresent(authenticators::add);
        tokens.tokenBasic().ifPresent(authenticators::add);
        config.basicRealm()
                .ifPresent(name -> authenticators.add(new BasicAuthenticator(
                        realm(name), name.component(), config.guards().clientAddress())));
        config.digest()
                .ifPresent(digest -> authenticators.add(new DigestAuthenticator(
                        realm(digest.accounts()),
                        digest.realm(),
                        digest.domain(),
                        digest.accounts().component())));
        config.identity().map(Authenticator::always).ifPresent(authenticators::add);
        tokens.bearer().ifPresent(authenticators::add);
        authenticators.addAll(added.authenticators());
        return authenticators;
    }

    private List<Vetoer> vetoers(AddedPolicy added) {
        var vetoers = new ArrayList<Vetoer>();
        config.guards().origins().ifPresent(vetoers::add);
        roles.ifPresent(vetoers::add);
        config.reserved().stream()
                .map(namespace -> new ReservedVetoer(namespace.getDatabaseName(), namespace.getCollectionName()))
                .forEach(vetoers::add);
        vetoers.addAll(added.vetoers());
        return vetoers;
    }

    /// In the order in which they are tried.
    private List<Authorizer> authorizers(AddedPolicy added) {
        var authorizers = new ArrayList<Authorizer>();
        if (config.tokens().service().enabled() && config.tokens().service().secured()) {
            authorizers.add(new TokenService.Rules(config.tokens().service().uri()));
        }
        roles.ifPresent(authorizers::add);
        apiKeys.map(KeyParts::service).ifPresent(authorizers::add);
        config.filePermissions().ifPresent(_ -> authorizers.add(new AclAuthorizer(filePermissions, Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        stored.flatMap(all -> all.authorizer).ifPresent(authorizers::add);
        authorizers.addAll(added.authorizers());
        return authorizers;
    }

    private List<FailedAttempts> failedAttempts(AddedPolicy added) {
        var attempts = new ArrayList<FailedAttempts>();
        config.guards().bruteForce().ifPresent(attempts::add);
        config.guards().failureLog().ifPresent(attempts::add);
        attempts.addAll(added.failedAttempts());
        return attempts;
    }

    private AmbientCredentials passwordRule() {
        var cors = config.guards().cors();
        return cors.echo()
                ? AmbientCredentials.NONE
                : AmbientCredentials.password(OriginPattern.anyOf(cors.origins()), tokens::isLogIn);
    }

    /// Refuses every data request to a collection that only the gateway itself accesses, such as
    /// that of keys, whatever the caller's rights.
    private record ReservedVetoer(String database, String collection) implements ProtectedCollection, Vetoer {
        @Override
        public boolean vetoes(Request request, @Nullable Account account) {
            return request.attribute(DataTarget.KEY).filter(this::isTargetOf).isPresent();
        }
    }

    /// Allows every request, or every authenticated request.
    ///
    /// @param authenticationRequired whether anonymous requests are refused
    private record FullAuthorizer(boolean authenticationRequired) implements Authorizer {
        @Override
        public boolean requiresAuthentication(Request request) {
            return authenticationRequired && request.method() != Method.OPTIONS;
        }

        @Override
        public Optional<Access> authorize(Request request, @Nullable Account account) {
            return Optional.of(new Access.Root());
        }

        @Override
        public List<RuleDecision> ask(Request example, KindAttempt attempt) {
            boolean refused = attempt.account() == null && requiresAuthentication(example);
            return List.of(RuleDecision.of("fullAuthorizer", refused ? Decision.NEVER : Decision.ALWAYS));
        }
    }

    /// What plugins add to the policy, each behind what the configuration has of its kind.
    ///
    /// @param tokens in place of what the configuration has
    public record AddedPolicy(
            List<Authenticator> authenticators,
            List<Vetoer> vetoers,
            List<Authorizer> authorizers,
            List<FailedAttempts> failedAttempts,
            Optional<TokenManager> tokens) {
        public AddedPolicy {
            authenticators = List.copyOf(authenticators);
            vetoers = List.copyOf(vetoers);
            authorizers = List.copyOf(authorizers);
            failedAttempts = List.copyOf(failedAttempts);
        }
    }
}
