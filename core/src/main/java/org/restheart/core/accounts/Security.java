package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.restheart.core.config.Endpoint;
import org.restheart.core.config.MongoAclConfig;
import org.restheart.core.config.MongoRealmConfig;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.routing.Binding;
import org.restheart.http.Filter;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FailedAttempts;
import org.restheart.security.FullAuthorizer;
import org.restheart.security.IdentityAuthenticator;
import org.restheart.security.Policy;
import org.restheart.security.RolesService;
import org.restheart.security.SecurityFilter;
import org.restheart.security.Vetoer;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.FilePermissions;
import org.restheart.security.basic.BasicAuthenticator;
import org.restheart.security.digest.DigestAuthenticator;
import org.restheart.security.guard.FailedAuthLogger;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.Realm;
import org.restheart.security.token.TokenRules;
import org.restheart.security.users.PasswordRules;
import org.restheart.security.users.PasswordStrength;
import org.restheart.security.users.UsersGuard;

/// Security as the configuration wants it: the door of every binding, security's own services, and what
/// guards others.
public final class Security implements AutoCloseable {
    private static final int DEFAULT_COST = 12;

    private final SecurityConfig config;
    private final PasswordHashes hashes;
    private final Optional<StoredSecurity> stored;
    private final TokenParts tokens;
    private final Optional<RolesService> roles;
    private final SecurityFilter secured;
    private final SecurityFilter open;

    private Security(SecurityConfig config, Optional<MongoClient> client) {
        this.config = config;
        this.tokens = new TokenParts(config.tokens(), config.oauth());
        this.roles =
                Optional.of(config.roles()).filter(Endpoint::enabled).map(endpoint -> new RolesService(endpoint.uri()));
        this.hashes = new PasswordHashes(
                config.mongoRealm().map(MongoRealmConfig::bcryptCost).orElse(DEFAULT_COST));
        this.stored = client.map(mongo -> new StoredSecurity(mongo, config.mongoRealm(), config.mongoAcl(), hashes));
        var policy = new Policy(
                authenticators(),
                vetoers(),
                authorizers(),
                failedAttempts(),
                tokens.cookie()
                        .<UnaryOperator<Request>>map(cookie -> cookie::apply)
                        .orElse(UnaryOperator.identity()));
        this.secured = policy.door(true);
        this.open = policy.door(false);
    }

    /// @param client closed by the caller, after this
    /// @throws org.restheart.core.config.ConfigException for a key that cannot be used
    public static Security open(SecurityConfig config, Optional<MongoClient> client) {
        return new Security(config, client);
    }

    /// The order in which they are asked.
    private List<Authenticator> authenticators() {
        var authenticators = new ArrayList<Authenticator>();
        tokens.tokenBasic().ifPresent(authenticators::add);
        config.basicRealm()
                .ifPresent(name -> authenticators.add(new BasicAuthenticator(realm(name), name.component())));
        config.digest()
                .ifPresent(digest -> authenticators.add(new DigestAuthenticator(
                        realm(digest.accounts()),
                        digest.realm(),
                        digest.domain(),
                        digest.accounts().component())));
        config.identity().ifPresent(account -> authenticators.add(new IdentityAuthenticator(account)));
        tokens.bearer().ifPresent(authenticators::add);
        return authenticators;
    }

    private Realm realm(SecurityConfig.RealmName name) {
        return switch (name) {
            case FILE -> new FileRealm(config.fileUsers().orElse(List.of()), hashes);
            case MONGO -> stored.flatMap(StoredSecurity::realm).orElseThrow();
        };
    }

    private List<Vetoer> vetoers() {
        var vetoers = new ArrayList<Vetoer>();
        config.guards().origins().ifPresent(vetoers::add);
        tokens.cookie().ifPresent(vetoers::add);
        roles.ifPresent(vetoers::add);
        return vetoers;
    }

    /// The order in which they are asked.
    private List<Authorizer> authorizers() {
        var authorizers = new ArrayList<Authorizer>();
        if (config.tokens().service().enabled() && config.tokens().service().secured()) {
            authorizers.add(new TokenRules(config.tokens().service().uri()));
        }
        roles.ifPresent(authorizers::add);
        config.filePermissions()
                .ifPresent(permissions ->
                        authorizers.add(new AclAuthorizer(new FilePermissions(permissions), Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        stored.flatMap(StoredSecurity::authorizer).ifPresent(authorizers::add);
        return authorizers;
    }

    private List<FailedAttempts> failedAttempts() {
        var attempts = new ArrayList<FailedAttempts>();
        config.guards().bruteForce().ifPresent(attempts::add);
        if (config.guards().logsFailures()) {
            attempts.add(new FailedAuthLogger());
        }
        return attempts;
    }

    /// The filter that authenticates and authorizes the requests of a binding.
    public Filter door(Binding binding) {
        return binding.secured() ? secured : open;
    }

    /// Whether a request that was let in through a secured door would be let in now. May wait.
    public boolean stillAdmits(Request request) {
        return secured.stillAdmits(request);
    }

    /// Security's own services.
    public List<Binding> bindings() {
        var bindings = new ArrayList<>(tokens.bindings());
        roles.ifPresent(service -> bindings.add(Binding.of(service, config.roles())));
        return bindings;
    }

    /// The data API behind what security needs to see of it.
    public Service guard(Service dataApi) {
        var guards = new ArrayList<Filter>();
        stored.ifPresent(security -> guards.add(new FreshAfterWrites(security::written)));
        config.mongoRealm().map(this::usersGuard).ifPresent(guards::add);
        return guards.isEmpty() ? dataApi : new GuardedService(dataApi, guards);
    }

    private UsersGuard usersGuard(MongoRealmConfig realm) {
        var users = realm.users();
        var strength = realm.minimumStrength().map(PasswordStrength::new);
        Function<Request, PasswordRules> rules = request -> new PasswordRules(
                password -> users.hashed() ? hashes.hash(request, password) : password, users.hashed(), strength);
        var rootRole = config.guards().guardsRootRole()
                ? config.mongoAcl().flatMap(MongoAclConfig::rootRole)
                : Optional.<String>empty();
        return new UsersGuard(users, rootRole, rules, config.guards().unrestrictedRoles());
    }

    @Override
    public void close() {
        stored.ifPresent(StoredSecurity::close);
        hashes.close();
    }
}
