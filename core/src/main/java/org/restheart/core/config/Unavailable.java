package org.restheart.core.config;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.http.Words;

/// Reports what is configured without effect: components that this release does not have, and keys of earlier
/// versions. An entry is removed by the commit that gives it an effect.
final class Unavailable {
    private static final List<String> COMPONENTS = List.of("accountsConfig", "oauthConfig", "emails", "ajp-listener");

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
            denyFilterOnUserPwd userPwdStrengthEnforcer""");

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
                .filter(name -> tree.get(name) instanceof Map<?, ?> block && Boolean.TRUE.equals(block.get("enabled")))
                .forEach(name -> reading.add(new Finding(
                        custom || !Boolean.TRUE.equals(value(builtIn, name, "enabled")) ? Level.ADVICE : Level.DETAIL,
                        "/" + name,
                        "is enabled, but this release does not have it")));
        ALWAYS_ON.stream()
                .filter(name -> Boolean.FALSE.equals(value(tree, name, "enabled")))
                .forEach(name -> reading.add(
                        new Finding(Level.ADVICE, "/" + name + "/enabled", "has no effect: this is always done here")));
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
