package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.restheart.core.config.GatewayConfig.RateLimitsConfig;
import org.restheart.http.access.Account;
import org.restheart.security.acl.Permission;
import org.restheart.security.acl.PermissionException;
import org.restheart.security.acl.PermissionReader;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.token.JwtTokenManager;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// Authentication and authorization. A part is empty when its component is off.
///
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

    static SecurityConfig read(Block root, boolean mongo, Optional<String> access, boolean loopback) {
        var tokens = SecurityTokens.read(root);
        var fileUsers = root.block("fileRealmAuthenticator").ifEnabled(SecurityFiles::users);
        var mongoRealm = SecurityStores.MongoRealmConfig.read(root.block("mongoRealmAuthenticator"), mongo, loopback);
        boolean withoutId = mongoRealm.isEmpty()
                && fileUsers.isPresent()
                && fileUsers.get().stream().noneMatch(user -> user.properties().containsKey("_id"));
        var config = new SecurityConfig(
                basicRealm(root, fileUsers.isPresent(), mongoRealm.isPresent()),
                root.block("digestAuthMechanism").ifEnabled(SecurityConfig::digest),
                root.block("identityAuthMechanism").ifEnabled(SecurityConfig::identity),
                fileUsers,
                root.block("fileAclAuthorizer").ifEnabled(block -> SecurityFiles.permissions(block, withoutId)),
                mongoRealm,
                SecurityStores.MongoAclConfig.read(root.block("mongoAclAuthorizer"), mongo),
                root.block("fullAuthorizer").ifEnabled(full -> full.bool("authentication-required")),
                tokens,
                SecurityOAuth.read(root, tokens.jwt()),
                SecurityGuards.read(root),
                root.block("apiKeyAuthMechanism")
                        .ifEnabled(mechanism -> SecurityStores.ApiKeyConfig.read(mechanism, root.block("apiKeyRealm"))),
                SecurityStores.SessionsConfig.read(root.block("dataApi"), tokens, mongo),
                Endpoint.read(root.block("roles")),
                access.filter(_ -> mongo).map(uri -> uri + "/check"),
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
            return basic.ifEnabled(SecurityConfig::realm);
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

    private static RealmName realm(Block block) {
        return block.choice("authenticator").equals(RealmName.FILE.component) ? RealmName.FILE : RealmName.MONGO;
    }

    private static Digest digest(Block block) {
        return new Digest(block.text("realm"), block.text("domain"), realm(block));
    }

    private static Account identity(Block block) {
        block.advise("enabled", "is true: every request is made by the account " + block.text("username"));
        return new Account(block.text("username"), block.texts("roles"), new BsonDocument());
    }

    /// `fileRealmAuthenticator` and `fileAclAuthorizer`: accounts and permissions in the configuration
    /// itself, or in files of their own.
    private static final class SecurityFiles {
        private static final Pattern NAMES_ID = Pattern.compile("@user\\._id(?![A-Za-z0-9_])");
        private static final Set<String> USER_KEYS = Set.of("userid", "password", "roles");

        private SecurityFiles() {}

        static List<FileRealm.User> users(Block block) {
            var users = new ArrayList<FileRealm.User>();
            var names = new HashSet<String>();
            for (var user : entries(block, "users")) {
                var name = user.requiredText("userid");
                if (!names.add(name)) {
                    user.suspect("userid", "occurs twice: " + name + "; only the last of these accounts counts");
                }
                reportMisspelt(user);
                var roles = user.has("roles") ? user.texts("roles") : missingRoles(user);
                var properties = document(user.toMap());
                properties.remove("password");
                if (user.has("password")) {
                    users.add(new FileRealm.User(name, user.textOrEmpty("password"), roles, properties));
                } else {
                    user.advise("password", "is null: the account " + name + " is disabled");
                }
                if (user.isNumber("password")) {
                    user.advise(
                            "password", "is a number, which may have been written in another way: put it in quotes");
                }
            }
            return List.copyOf(users);
        }

        /// Further keys are properties of the account, but hardly those with the name of another key but
        /// for a letter.
        private static void reportMisspelt(Block user) {
            for (var key : user.toMap().keySet()) {
                if (!USER_KEYS.contains(key)) {
                    Nearest.to(key, USER_KEYS)
                            .ifPresent(near -> user.unknown(key, "has no meaning; did you mean " + near + "?"));
                }
            }
        }

        private static List<String> missingRoles(Block user) {
            user.refuse("roles", "is required and must be a list of texts, which may be empty");
            return List.of();
        }

        /// A permission that cannot be used is reported and left out.
        ///
        /// @param withoutId whether all accounts are of a file, and none has the property `_id`
        static List<Permission> permissions(Block block, boolean withoutId) {
            var permissions = new ArrayList<Permission>();
            for (var entry : entries(block, "permissions")) {
                try {
                    var document = document(entry.toMap());
                    permissions.add(PermissionReader.ofFile(entry.path(), document));
                    PermissionReader.warnings(document).forEach(warning -> entry.advise("", warning));
                    if (withoutId && NAMES_ID.matcher(document.toJson()).find()) {
                        entry.advise(
                                "", "names @user._id, which accounts of files do not have; their name is @user.userid");
                    }
                } catch (PermissionException e) {
                    entry.suspect("", "is not used: " + e.getMessage());
                }
            }
            return List.copyOf(permissions);
        }

        /// Reports accounts that are refused everything: no permission is for one of their roles.
        ///
        /// @param permissions all that may allow them something
        static void reportUnusedRoles(Block root, List<Permission> permissions) {
            var known = permissions.stream()
                    .flatMap(permission -> permission.roles().stream())
                    .collect(Collectors.toUnmodifiableSet());
            var realm = root.block("fileRealmAuthenticator");
            if (realm.bool("enabled")) {
                entries(realm, "users").stream()
                        .filter(user -> user.toMap().get("roles") instanceof List)
                        .forEach(user -> reportUnused(user, "roles", known));
            }
            for (var mechanism : List.of("identityAuthMechanism", "jwtAuthenticationMechanism")) {
                var block = root.block(mechanism);
                if (block.bool("enabled")) {
                    reportUnused(block, mechanism.startsWith("jwt") ? "fixedRoles" : "roles", known);
                }
            }
        }

        private static void reportUnused(Block block, String key, Set<String> known) {
            var roles = block.has(key) ? block.texts(key) : List.<String>of();
            if (!roles.isEmpty() && roles.stream().noneMatch(known::contains)) {
                block.advise(
                        key,
                        "is " + String.join(", ", roles)
                                + ", for which there is no permission: the account is refused (403) what permissions"
                                + " allow"
                                + roles.stream()
                                        .map(role -> Nearest.question(role, known))
                                        .filter(question -> !question.isEmpty())
                                        .findFirst()
                                        .orElse(""));
            }
        }

        private static List<Block> entries(Block block, String list) {
            var file = block.file("conf-file");
            var source = file.orElse(block);
            if (file.isEmpty() && block.has("conf-file")) {
                return List.of(); // what is wrong with it is reported
            }
            if (!source.has(list)) {
                source.refuse(list, "is required" + (file.isPresent() ? "" : ", or conf-file"));
            }
            return source.blocks(list);
        }

        /// Values of the configuration as BSON, the common form of accounts and permissions.
        private static BsonDocument document(Map<String, ?> map) {
            return new Document(map).toBsonDocument().clone(); // a document of its own, not a view of the map
        }
    }
}
