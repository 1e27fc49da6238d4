package org.restheart.core.config;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Names that are known although the built-in configuration does not contain them.
final class KnownKeys {
    /// Keys of every component.
    private static final Set<String> COMMON = Set.of("enabled", "uri", "secured", "secure");

    /// Blocks that are not components.
    private static final Set<String> NO_COMPONENTS =
            Set.of("/http-listener", "/https-listener", "/ajp-listener", "/core", "/connection-options", "/logging");

    /// Components without keys in the built-in configuration, beside those of [Unavailable#ALWAYS_ON].
    private static final List<String> COMPONENTS = List.of(
            "changeStreamActivator",
            "graphAppsInitializer",
            "graphAppsUpdater",
            "polyglotDeployer",
            "failedAuthLogger",
            "rootRoleGuard",
            "aclRegistryAllower",
            "aclRegistryVetoer",
            "accountsConfig",
            "oauthConfig",
            "emails");

    /// Keys without a default, former keys and other spellings.
    private static final Map<String, List<String>> KEYS = Map.ofEntries(
            entry("/mongo", "instance-base-url", "cursor-batch-size", "mongo-uri"),
            entry("/connection-options", "MAX_AJP_PACKET_SIZE"),
            entry("/graphql", "app-def-cache-ttl"),
            entry("/bruteForceAttackGuard", "x-forwarded-for-value-from-last"),
            entry("/authCookieSetter", "secure"),
            entry("/authCookieRemover", "defaultUri"),
            entry("/oauthProtectedResourceMetadataService", "server-url"),
            entry("/fileRealmAuthenticator", "conf-file"),
            entry("/fileAclAuthorizer", "conf-file"),
            entry("/originVetoer", "whitelist-patterns", "ignore-paths"),
            entry("/mongoRealmAuthenticator", "attached-props"),
            entry(
                    "/accountsConfig",
                    "app-name",
                    "jwt-ttl",
                    "cookie-domain",
                    "cookie-name",
                    "cookie-secure",
                    "frontend-url",
                    "frontend-app-url",
                    "terms-version",
                    "privacy-version",
                    "default-locale",
                    "templates",
                    "team-claim-name",
                    "member-role-name",
                    "ownership-role",
                    "default-role",
                    "membership-endpoints-enabled",
                    "account-properties-claims",
                    "users-unrestricted-roles"),
            entry("/oauthConfig", "api-base-url", "frontend-success-url", "frontend-error-url", "providers"));

    /// Blocks whose keys are not checked.
    private static final Set<String> FREE = Set.of("emails");

    private KnownKeys() {}

    private static Map.Entry<String, List<String>> entry(String path, String... keys) {
        return Map.entry(path, List.of(keys));
    }

    /// Whether unknown keys of a block can be detected.
    static boolean areClosed(String block) {
        return !FREE.contains(block);
    }

    /// The keys that a block may have beyond those in the built-in configuration.
    ///
    /// @param path of the block; empty for the names of blocks
    static Set<String> of(String path) {
        if (path.isEmpty()) {
            var names = new HashSet<>(COMPONENTS);
            names.addAll(Unavailable.ALWAYS_ON);
            return names;
        }
        var keys = new HashSet<>(KEYS.getOrDefault(path, List.of()));
        if (path.lastIndexOf('/') == 0 && !path.contains("[") && !NO_COMPONENTS.contains(path)) {
            keys.addAll(COMMON);
        }
        return keys;
    }
}
