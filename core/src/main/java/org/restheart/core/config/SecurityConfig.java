package org.restheart.core.config;

import java.util.List;
import java.util.Optional;
import org.restheart.security.acl.Permission;
import org.restheart.security.realm.FileRealm;

/// Who may use the server, and how they show who they are. A part is empty when its component is off.
///
/// @param basicRealm the realm of HTTP Basic
/// @param fullAuthorizer allows everything; its value says whether to authenticated callers only
public record SecurityConfig(
        Optional<RealmName> basicRealm,
        Optional<List<FileRealm.User>> fileUsers,
        Optional<List<Permission>> filePermissions,
        Optional<Boolean> fullAuthorizer) {

    /// The realms that mechanisms can name.
    public enum RealmName {
        FILE("fileRealmAuthenticator");

        private final String component;

        RealmName(String component) {
            this.component = component;
        }
    }

    static SecurityConfig read(Block root) {
        var full = root.component("fullAuthorizer");
        var config = new SecurityConfig(
                basic(root.component("basicAuthMechanism")),
                SecurityFiles.users(root.component("fileRealmAuthenticator")),
                SecurityFiles.permissions(root.component("fileAclAuthorizer")),
                full.flag("enabled", false)
                        ? Optional.of(full.bool("authentication-required", true))
                        : Optional.empty());
        if (config.basicRealm.filter(RealmName.FILE::equals).isPresent() && config.fileUsers.isEmpty()) {
            root.refuse("basicAuthMechanism/authenticator", "is fileRealmAuthenticator, which is not enabled");
        }
        return config;
    }

    private static Optional<RealmName> basic(Block block) {
        if (!block.flag("enabled", false)) {
            return Optional.empty();
        }
        var name = block.text("authenticator", RealmName.FILE.component);
        for (var realm : RealmName.values()) {
            if (realm.component.equals(name)) {
                return Optional.of(realm);
            }
        }
        block.refuse("authenticator", "names no realm: " + name);
        return Optional.empty();
    }
}
