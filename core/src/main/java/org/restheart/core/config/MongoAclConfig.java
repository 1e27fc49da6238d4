package org.restheart.core.config;

import java.util.Optional;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.cache.CacheExpiry;

/// `mongoAclAuthorizer`.
///
/// @param rootRole the role that is allowed everything
/// @param keeping how long permissions are cached without a change stream
public record MongoAclConfig(String database, String collection, Optional<String> rootRole, CacheExpiry keeping)
        implements ProtectedCollection {
    /// Empty when the component is off.
    static Optional<MongoAclConfig> read(Block block, boolean absent) {
        return block.bool("enabled", absent)
                ? Optional.of(new MongoAclConfig(
                        block.text("acl-db", "restheart"),
                        block.text("acl-collection", "acl"),
                        block.optionalText("root-role"),
                        MongoRealmConfig.keeping(block, true, 1_000)))
                : Optional.empty();
    }
}
