package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.http.Words;
import org.restheart.http.access.Account;
import org.restheart.security.acl.Permission;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.token.JwtTokenManager;

/// Authentication and authorization. A part is empty when its component is off.
///
/// @param basicRealm the realm of HTTP Basic
/// @param identity the account of every request
/// @param checks the path that tells callers why a request is refused
/// @param reserved the collections of API keys, sessions, revoked tokens and rates, which only the gateway itself reads
///     and writes, whether they are in use or not: what is in them counts as soon as they are
/// @param fullAuthorizer allows everything; its value says whether to authenticated callers only
public record SecurityConfig(
        Optional<RealmName> basicRealm,
        Optional<Digest> digest,
        Optional<Account> identity,
        Optional<List<FileRealm.User>> fileUsers,
        Optional<List<Permission>> filePermissions,
        Optional<SecurityStores.MongoRealmConfig> mongoRealm,
        Optional<SecurityStores.MongoAclConfig> mongoAcl,
        Optional<Boolean> fullAuthorizer,
        SecurityTokens tokens,
        SecurityOAuth oauth,
        SecurityGuards guards,
        Optional<SecurityStores.ApiKeyConfig> apiKeys,
        Optional<SecurityStores.SessionsConfig> sessions,
        Endpoint roles,
        Optional<String> checks,
        Set<MongoNamespace> reserved) {

    private static final List<String> MECHANISMS = Words.list("""
        basicAuthMechanism digestAuthMechanism identityAuthMechanism tokenBasicAuthMechanism
        jwtAuthenticationMechanism apiKeyAuthMechanism\
        """);

    public enum RealmName {
        FILE("fileRealmAuthenticator"),
        MONGO("mongoRealmAuthenticator");

        private final String component;

        RealmName(String component) {
            this.component = component;
        }

        /// Its block in the configuration.
        public String component() {
            return component;
        }
    }

    /// `digestAuthMechanism`.
    public record Digest(String realm, String domain, RealmName accounts) {}

    /// @param mongo whether MongoDB is configured: without it, components that need it are off by default
    /// @param loopback whether this machine alone can reach the server
    static SecurityConfig read(Block root, boolean mongo, Endpoint access, boolean loopback) {
        var full = root.block("fullAuthorizer");
        var tokens = SecurityTokens.read(root);
        var fileUsers = SecurityFiles.users(root.block("fileRealmAuthenticator"));
        var mongoRealm = SecurityStores.MongoRealmConfig.read(root.block("mongoRealmAuthenticator"), mongo, loopback);
        boolean withoutId = mongoRealm.isEmpty()
                && fileUsers.isPresent()
                && fileUsers.get().stream().noneMatch(user -> user.properties().containsKey("_id"));
        var config = new SecurityConfig(
                basicRealm(root, fileUsers.isPresent(), mongoRealm.isPresent()),
                digest(root.block("digestAuthMechanism")),
                identity(root.block("identityAuthMechanism")),
                fileUsers,
                SecurityFiles.permissions(root.block("fileAclAuthorizer"), withoutId),
                mongoRealm,
                SecurityStores.MongoAclConfig.read(root.block("mongoAclAuthorizer"), mongo),
                full.bool("enabled") ? Optional.of(full.bool("authentication-required")) : Optional.empty(),
                tokens,
                SecurityOAuth.read(root, tokens.jwt()),
                SecurityGuards.read(root),
                SecurityStores.ApiKeyConfig.read(root.block("apiKeyAuthMechanism"), root.block("apiKeyRealm")),
                SecurityStores.SessionsConfig.read(root.block("dataApi"), tokens, mongo),
                Endpoint.read(root.block("roles")),
                Optional.of(access)
                        .filter(_ -> mongo)
                        .filter(Endpoint::enabled)
                        .map(endpoint -> endpoint.uri() + "/check"),
                Stream.of(
                                SecurityStores.ApiKeyConfig.stored(root.block("apiKeyRealm")),
                                SecurityStores.SessionsConfig.stored(root.block("dataApi")),
                                tokens.jwt().revocations(),
                                RateLimitsConfig.stored(root.block("rateLimits")))
                        .filter(_ -> mongo)
                        .collect(Collectors.toUnmodifiableSet()));
        config.check(root, mongo);
        if (config.mongoAcl.isEmpty() && config.fullAuthorizer.isEmpty()) {
            config.filePermissions.ifPresent(permissions -> SecurityFiles.reportUnusedRoles(root, permissions));
        }
        return config;
    }

    /// The collection of revoked tokens; empty where no other gateway would accept them, or nothing revokes
    /// any.
    public Optional<MongoNamespace> revocations() {
        boolean revokes =
                tokens.jwtTokens().filter(JwtTokenManager.Settings::revokes).isPresent()
                        || sessions.isPresent()
                        || oauth.authorization().isPresent()
                        || oauth.modelContext().isPresent(); // whose confirmations are used up
        return Optional.of(tokens.jwt())
                .filter(jwt -> revokes && jwt.shared())
                .map(SecurityTokens.JwtConfig::revocations);
    }

    /// The realm of passwords, keys and the anonymous account.
    public RealmName accountsRealm() {
        return basicRealm.orElse(mongoRealm.isPresent() ? RealmName.MONGO : RealmName.FILE);
    }

    /// Whether an account of the configuration, or of a file, has the root role.
    public boolean definesRootAccount() {
        return fileUsers.stream()
                .flatMap(List::stream)
                .anyMatch(user -> rootRole().filter(user.roles()::contains).isPresent());
    }

    /// The role that may do everything, if there is one.
    public Optional<String> rootRole() {
        return mongoAcl.flatMap(SecurityStores.MongoAclConfig::rootRole);
    }

    /// Whether permissions that are not in MongoDB may allow something.
    public boolean definesPermissions() {
        return fullAuthorizer.isPresent() || filePermissions.isPresent();
    }

    /// Whether at least one authentication mechanism is enabled.
    public boolean canAuthenticate() {
        return basicRealm.isPresent() || digest.isPresent() || tokens.bearer().isPresent() || tokens.tokenBasic();
    }

    /// As configured; a configuration that names no mechanism at all has passwords, as the built-in one has.
    private static Optional<RealmName> basicRealm(Block root, boolean fileUsers, boolean mongoRealm) {
        var basic = root.block("basicAuthMechanism");
        if (MECHANISMS.stream().anyMatch(mechanism -> root.block(mechanism).isPresent())) {
            return realm(basic);
        }
        if (!fileUsers && !mongoRealm) {
            return Optional.empty();
        }
        var name = mongoRealm ? RealmName.MONGO : RealmName.FILE;
        basic.fill("enabled", true);
        basic.fill("authenticator", name.component);
        return Optional.of(name);
    }

    private boolean mayAllowAnonymous() {
        return fullAuthorizer.filter(needsAccount -> !needsAccount).isPresent()
                || filePermissions.stream()
                        .flatMap(List::stream)
                        .anyMatch(permission -> permission.roles().contains("$unauthenticated"));
    }

    private void check(Block root, boolean mongo) {
        if (mongo && !canAuthenticate() && identity.isEmpty() && apiKeys.isEmpty() && !mayAllowAnonymous()) {
            root.refuse(
                    "basicAuthMechanism/enabled",
                    "is not true, and no other mechanism is enabled: nobody could use the services that are secured");
        }
        basicRealm.ifPresent(realm -> check(root, "basicAuthMechanism", realm));
        digest.ifPresent(config -> check(root, "digestAuthMechanism", config.accounts));
        boolean fileIsUsed = Stream.of(basicRealm, digest.map(Digest::accounts))
                .flatMap(Optional::stream)
                .anyMatch(RealmName.FILE::equals);
        if (fileUsers.isPresent() && !fileIsUsed && accountsRealm() != RealmName.FILE) {
            root.advise(
                    "fileRealmAuthenticator",
                    "has accounts that no mechanism asks for: /basicAuthMechanism needs enabled: true and"
                            + " authenticator: fileRealmAuthenticator");
        }
        if (!mongo && apiKeys.isPresent()) {
            root.refuse("mclient/enabled", "must be true for apiKeyAuthMechanism");
        }
        if (apiKeys.isPresent() && mongoRealm.isEmpty() && fileUsers.isEmpty()) {
            root.refuse("apiKeyAuthMechanism/enabled", "needs a realm: keys belong to accounts");
        }
        if (!mongo && (mongoRealm.isPresent() || mongoAcl.isPresent())) {
            root.refuse("mclient/enabled", "must be true for mongoRealmAuthenticator and mongoAclAuthorizer");
        }
    }

    private void check(Block root, String mechanism, RealmName realm) {
        boolean there = switch (realm) {
            case FILE -> fileUsers.isPresent();
            case MONGO -> mongoRealm.isPresent();
        };
        if (!there) {
            root.refuse(mechanism + "/authenticator", "is " + realm.component + ", which is not enabled");
        }
    }

    private static Optional<RealmName> realm(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        return Optional.of(
                block.choice("authenticator").equals(RealmName.FILE.component) ? RealmName.FILE : RealmName.MONGO);
    }

    private static Optional<Digest> digest(Block block) {
        return realm(block).map(accounts -> new Digest(block.text("realm"), block.text("domain"), accounts));
    }

    private static Optional<Account> identity(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        block.advise("enabled", "is true: every request is made by the account " + block.text("username"));
        return Optional.of(new Account(block.text("username"), block.texts("roles"), new BsonDocument()));
    }
}
