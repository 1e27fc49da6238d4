package org.restheart.core.config;

import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.json.JsonParseException;
import org.restheart.security.cache.CacheExpiry;
import org.restheart.security.realm.RolesPath;
import org.restheart.security.realm.UsersCollection;

/// `mongoRealmAuthenticator`.
///
/// @param bcryptCost of hashes that the gateway creates
/// @param minimumStrength the least score of a new password, from 0 to 4, if that is checked at all
/// @param firstUser inserted when there is no account
/// @param keeping how long accounts are cached without a change stream
public record MongoRealmConfig(
        UsersCollection users,
        int bcryptCost,
        Optional<Integer> minimumStrength,
        Optional<BsonDocument> firstUser,
        CacheExpiry keeping) {
    /// bcrypt of the default password.
    public static final String DEFAULT_HASH = "$2a$12$D.IEcUHVPotQ3HXNvIGYxOPc5excTuj7RQJNJvkKPRVyrNCvUZVU2";

    private static final String ROLES = "$.roles";

    private static final String FIRST_USER =
            "{\"_id\": \"admin\", \"password\": \"" + DEFAULT_HASH + "\", \"roles\": [\"admin\"]}";

    /// Empty when the component is off.
    static Optional<MongoRealmConfig> read(Block block, boolean absent) {
        if (!block.bool("enabled", absent)) {
            return Optional.empty();
        }
        boolean hashed = block.bool("bcrypt-hashed-password", true);
        var strength = block.integer("minimum-password-strength", 3, 0, 4);
        return Optional.of(new MongoRealmConfig(
                users(block, hashed),
                block.integer("bcrypt-complexity", 12, 4, 31),
                block.bool("enforce-minimum-password-strength", false) ? Optional.of(strength) : Optional.empty(),
                firstUser(block),
                keeping(block, false, 60_000)));
    }

    /// The `cache-…` keys of components that keep accounts or permissions.
    static CacheExpiry keeping(Block block, boolean absent, long ttlMillis) {
        boolean enabled = block.bool("cache-enabled", absent);
        int size = block.integer("cache-size", 1_000, 1, 10_000_000);
        var ttl = block.millis("cache-ttl", ttlMillis, 0, Integer.MAX_VALUE);
        var expiry = block.oneOf("cache-expire-policy", CacheExpiry.Expiry.AFTER_WRITE);
        return enabled
                ? new CacheExpiry(size, ttl, expiry)
                : new CacheExpiry(size, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE);
    }

    private static UsersCollection users(Block block, boolean hashed) {
        var database = block.text("users-db", "restheart");
        var collection = block.text("users-collection", "users");
        var roles = roles(block);
        try {
            return new UsersCollection(
                    database,
                    collection,
                    block.text("prop-id", "_id"),
                    block.text("prop-password", "password"),
                    roles,
                    hashed);
        } catch (IllegalArgumentException e) {
            block.refuse("prop-id", String.valueOf(e.getMessage()));
            return new UsersCollection(database, collection, "_id", "password", roles, hashed);
        }
    }

    private static RolesPath roles(Block block) {
        try {
            return RolesPath.parse(block.text("json-path-roles", ROLES));
        } catch (IllegalArgumentException e) {
            block.refuse("json-path-roles", String.valueOf(e.getMessage()));
            return RolesPath.parse(ROLES);
        }
    }

    private static Optional<BsonDocument> firstUser(Block block) {
        var text = block.text("create-user-document", FIRST_USER);
        if (!block.bool("create-user", true)) {
            return Optional.empty();
        }
        try {
            return Optional.of(BsonDocument.parse(text));
        } catch (JsonParseException _) {
            block.refuse("create-user-document", "is not a JSON object");
            return Optional.empty();
        }
    }

    /// Without the password of the first account.
    @Override
    public String toString() {
        return "MongoRealmConfig[" + users + "]";
    }
}
