package org.restheart.core.config;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Nearest;
import org.restheart.http.Words;

/// Reports unknown keys of known blocks with the most similar known key. A key is known when it was read, when it is in
/// the built-in configuration, or when [KnownKeys] lists it. Unknown blocks of a file are legal: they are the arguments
/// of plugins.
///
/// @param onlyOverridden blocks that overrides have made, of which unknown ones are refused
record UnknownKeys(Map<String, @Nullable Object> builtIn, Set<String> onlyOverridden) {
    void report(Map<String, @Nullable Object> tree, Reading reading) {
        reading.visits().forEach((path, visit) -> report(path, visit.values(), known(path, visit.asked()), reading));
        tree.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map && !reading.visits().containsKey("/" + name) && isKnownBlock(name)) {
                reportBelow("/" + name, map, reading);
            }
        });
    }

    /// A block without reader: its component does not exist, but its keys are known.
    private void reportBelow(String path, Map<?, ?> map, Reading reading) {
        report(path, Trees.block(map), known(path, Set.of()), reading);
        map.forEach((key, value) -> {
            if (value instanceof Map<?, ?> below && builtInBlock(path + "/" + key) != null) {
                reportBelow(path + "/" + key, below, reading);
            }
        });
    }

    private void report(String path, Map<String, @Nullable Object> values, Set<String> known, Reading reading) {
        values.forEach((key, value) -> {
            if (!known.contains(key)) {
                if (path.isEmpty()) {
                    reportTop(key, value, known, reading);
                } else {
                    reading.unknown(path + "/" + key, "is not known" + Nearest.question(key, known));
                }
            }
        });
    }

    private void reportTop(String key, @Nullable Object value, Set<String> known, Reading reading) {
        var hint = Nearest.question(key, known);
        if (key.startsWith("/")) {
            reading.add(new Finding(
                    Level.SUSPECT, key, "is an override, which this file cannot have: such a file is given with -o"));
        } else if (!(value instanceof Map)) {
            reading.unknown("/" + key, "is not known" + (hint.isEmpty() ? ofBlock(key, reading) : hint));
        } else if (onlyOverridden.contains(key) && !KnownKeys.ELSEWHERE.contains(key)) {
            reading.add(new Finding(Level.REFUSED, "/" + key, "is not known" + hint));
        } else if (hint.isEmpty()
                && Boolean.TRUE.equals(Trees.block((Map<?, ?>) value).get("enabled"))) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "/" + key,
                    "is enabled, but has no effect: this release has no such component, and no plugins"));
        } else if (hint.isEmpty()) {
            reading.add(new Finding(Level.DETAIL, "/" + key, "is taken for the arguments of a plugin"));
        } else {
            reading.unknown("/" + key, "is taken for the arguments of a plugin" + hint);
        }
    }

    /// The text `; did you mean …?` if exactly one block has a key of this name.
    private static String ofBlock(String key, Reading reading) {
        var paths = reading.visits().entrySet().stream()
                .filter(visit -> visit.getKey().lastIndexOf('/') == 0
                        && visit.getValue().asked().contains(key))
                .map(visit -> visit.getKey() + "/" + key)
                .toList();
        return paths.size() == 1 ? "; did you mean " + paths.getFirst() + "?" : "";
    }

    private Set<String> known(String path, Set<String> asked) {
        var known = new LinkedHashSet<>(asked);
        var block = builtInBlock(path);
        if (block != null) {
            block.keySet().forEach(key -> known.add(String.valueOf(key)));
        }
        known.addAll(KnownKeys.of(path));
        return known;
    }

    private boolean isKnownBlock(String name) {
        return KnownKeys.areClosed(name)
                && (builtIn.containsKey(name) || KnownKeys.of("").contains(name));
    }

    private @Nullable Map<?, ?> builtInBlock(String path) {
        Object node = builtIn;
        for (var step : path.split("/", -1)) {
            if (!step.isEmpty()) {
                node = node instanceof Map<?, ?> map ? map.get(step) : null;
            }
        }
        return node instanceof Map<?, ?> map ? map : null;
    }

    /// Names that are known although the built-in configuration does not contain them.
    private static final class KnownKeys {
        /// Keys of every component.
        private static final Set<String> COMMON = Set.of("enabled", "uri", "secured", "secure");

        /// Blocks that are not components.
        private static final Set<String> NO_COMPONENTS = Set.of(
                "/http-listener", "/https-listener", "/ajp-listener", "/core", "/connection-options", "/logging");

        /// Components without keys in the built-in configuration, beside those of [Unavailable#ALWAYS_ON].
        private static final Set<String> COMPONENTS = Words.of("""
            changeStreamActivator graphAppsInitializer graphAppsUpdater polyglotDeployer failedAuthLogger
            rootRoleGuard aclRegistryAllower aclRegistryVetoer accountsConfig oauthConfig emails\
            """);

        /// Blocks of components that others have, and this release does not: without effect.
        private static final Set<String> ELSEWHERE = Words.of("""
            mclient-reactive updatePipelineSecurityChecker accountsService accountsInitializer registerService
            forgotPasswordService inviteService resendInviteService emailVerificationService resetPasswordService
            activateService acceptInviteService invitationInfoService listInvitationsService
            listTeamMembersService getTeamsService teamService switchTeamService removeMemberService
            updateMemberRoleService updateProfileService changePasswordService tokenFailedAuthInterceptor
            oauthService oauthInitiator oauthCallback googleOAuthProvider githubOAuthProvider\
            """);

        /// Keys without a default, former keys and other spellings.
        private static final Map<String, Set<String>> KEYS = Map.ofEntries(
                entry("/mongo", "instance-base-url cursor-batch-size mongo-uri"),
                entry("/connection-options", "MAX_AJP_PACKET_SIZE"),
                entry("/graphql", "app-def-cache-ttl"),
                entry("/bruteForceAttackGuard", "x-forwarded-for-value-from-last"),
                entry("/authCookieSetter", "secure"),
                entry("/authCookieRemover", "defaultUri"),
                entry("/oauthProtectedResourceMetadataService", "server-url"),
                entry("/fileRealmAuthenticator", "conf-file"),
                entry("/fileAclAuthorizer", "conf-file"),
                entry("/originVetoer", "whitelist-patterns ignore-paths"),
                entry("/mongoRealmAuthenticator", "attached-props"),
                entry("/accountsConfig", """
                    app-name jwt-ttl cookie-domain cookie-name cookie-secure frontend-url frontend-app-url
                    terms-version privacy-version default-locale templates team-claim-name member-role-name
                    ownership-role default-role membership-endpoints-enabled account-properties-claims
                    users-unrestricted-roles\
                    """),
                entry("/oauthConfig", "api-base-url frontend-success-url frontend-error-url providers"));

        /// Blocks whose keys are not checked.
        private static final Set<String> FREE = Set.of("emails", "updatePipelineSecurityChecker");

        private KnownKeys() {}

        private static Map.Entry<String, Set<String>> entry(String path, String keys) {
            return Map.entry(path, Words.of(keys));
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
            var keys = new HashSet<>(KEYS.getOrDefault(path, Set.of()));
            if (path.lastIndexOf('/') == 0 && !path.contains("[") && !NO_COMPONENTS.contains(path)) {
                keys.addAll(COMMON);
            }
            return keys;
        }
    }

    /// Reports what is configured without effect: components that this release does not have, and keys of earlier
    /// versions. An entry is removed by the commit that gives it an effect.
    static final class Unavailable {
        private static final List<String> COMPONENTS =
                List.of("accountsConfig", "oauthConfig", "emails", "ajp-listener");

        /// Blocks with their keys, and why these have no effect.
        private static final Map<String, Map<String, String>> KEYS = Map.of(
                "core",
                        Map.of(
                                "plugins-directory", "this release has no plugins",
                                "plugins-packages", "this release has no plugins",
                                "plugins-scanning-verbose", "this release has no plugins",
                                "buffers-pooling", "buffers are always reused"),
                "connection-options",
                        Map.of(
                                "MULTIPART_MAX_ENTITY_SIZE",
                                "uploads are read while they arrive, see core/max-streamed-content",
                                "URL_CHARSET",
                                "URLs are UTF-8",
                                "MAX_AJP_PACKET_SIZE",
                                "this release has no AJP"));

        /// Components that `enabled: false` does not switch off, since their work is always done.
        static final List<String> ALWAYS_ON = Words.list("""
            txnsActivator graphAppDefinitionPutPostChecker graphAppDefinitionPatchChecker graphAppDefinitionEscaper
            graphAppDefinitionGetUnescaper checkContentSize jsonSchemaBeforeWrite jsonSchemaAfterWrite
            namespacesResponseFlattener halRepresentation addRequestProperties fileMediaTypeDetector
            obsoleteChangeStreamRemover mongoPermissionFilters mongoPermissionMergeRequest
            mongoPermissionProjectResponse mongoPermissionAllowMgmtRequests mongoPermissionAllowBulkRequests
            mongoPermissionAllowWriteMode formDataToBasicAuthInterceptor userPwdHasher userPwdRemover
            denyFilterOnUserPwd userPwdStrengthEnforcer\
            """);

        private Unavailable() {}

        /// Reports enabled components: as a detail those that the built-in configuration enables.
        ///
        /// @param builtIn the built-in configuration: keys with its values are not reported
        static void report(
                Map<String, @Nullable Object> tree,
                Map<String, @Nullable Object> builtIn,
                boolean custom,
                Reading reading) {
            COMPONENTS.stream()
                    .filter(name ->
                            tree.get(name) instanceof Map<?, ?> block && Boolean.TRUE.equals(block.get("enabled")))
                    .forEach(name -> reading.add(new Finding(
                            custom || !Boolean.TRUE.equals(value(builtIn, name, "enabled"))
                                    ? Level.ADVICE
                                    : Level.DETAIL,
                            "/" + name,
                            "is enabled, but this release does not have it")));
            ALWAYS_ON.stream()
                    .filter(name -> Boolean.FALSE.equals(value(tree, name, "enabled")))
                    .forEach(name -> reading.add(new Finding(
                            Level.ADVICE, "/" + name + "/enabled", "has no effect: this is always done here")));
            KEYS.forEach((block, keys) -> keys.forEach((key, reason) -> {
                var value = value(tree, block, key);
                if (value != null && !Objects.equals(value, value(builtIn, block, key))) {
                    reading.add(new Finding(Level.ADVICE, "/" + block + "/" + key, "has no effect: " + reason));
                }
            }));
        }

        private static @Nullable Object value(Map<String, @Nullable Object> tree, String block, String key) {
            return tree.get(block) instanceof Map<?, ?> values ? values.get(key) : null;
        }
    }
}
