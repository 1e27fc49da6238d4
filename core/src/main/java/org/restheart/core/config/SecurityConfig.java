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
        Optional<MongoRealmConfig> mongoRealm,
        Optional<MongoAclConfig> mongoAcl,
        Optional<Boolean> fullAuthorizer) {

    /// The realms that mechanisms can name.
    public enum RealmName {
        FILE("fileRealmAuthenticator"),
        MONGO("mongoRealmAuthenticator");

        private final String component;

        RealmName(String component) {
            this.component = component;
        }
    }

    /// @param mongo whether there is a MongoDB: without one, what needs it is off unless asked for
    static SecurityConfig read(Block root, boolean mongo) {
        var full = root.component("fullAuthorizer");
        var config = new SecurityConfig(
                basic(root.component("basicAuthMechanism")),
                SecurityFiles.users(root.component("fileRealmAuthenticator")),
                SecurityFiles.permissions(root.component("fileAclAuthorizer")),
                MongoRealmConfig.read(root.component("mongoRealmAuthenticator"), mongo),
                MongoAclConfig.read(root.component("mongoAclAuthorizer"), mongo),
                full.flag("enabled", false)
                        ? Optional.of(full.bool("authentication-required", true))
                        : Optional.empty());
        config.basicRealm
                .filter(realm -> !config.has(realm))
                .ifPresent(realm -> root.refuse(
                        "basicAuthMechanism/authenticator", "is " + realm.component + ", which is not enabled"));
        if (!mongo && (config.mongoRealm.isPresent() || config.mongoAcl.isPresent())) {
            root.refuse("mclient/enabled", "must be true for mongoRealmAuthenticator and mongoAclAuthorizer");
        }
        return config;
    }

    private boolean has(RealmName realm) {
        return switch (realm) {
            case FILE -> fileUsers.isPresent();
            case MONGO -> mongoRealm.isPresent();
        };
    }

    private static Optional<RealmName> basic(Block block) {
        if (!block.flag("enabled", false)) {
            return Optional.empty();
        }
        var name = block.text("authenticator", RealmName.MONGO.component);
        for (var realm : RealmName.values()) {
            if (realm.component.equals(name)) {
                return Optional.of(realm);
            }
        }
        block.refuse("authenticator", "names no realm: " + name);
        return Optional.empty();
    }
}
