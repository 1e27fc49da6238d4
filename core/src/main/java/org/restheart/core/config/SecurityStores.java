package org.restheart.core.config;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.mongodb.MongoNamespace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.json.JsonParseException;
import org.restheart.http.SecretValues;
import org.restheart.security.InvalidatedCache.CacheExpiry;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.realm.DefaultAccount;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.UsersCollection;
import org.restheart.security.realm.UsersCollection.RolesPath;

/// What security keeps in collections: accounts, permissions, API keys and sessions.
public final class SecurityStores {
    private SecurityStores() {}

    /// `mongoRealmAuthenticator`.
    public record MongoRealmConfig(
            UsersCollection users,
            int bcryptCost,
            Optional<Integer> minimumStrength,
            Optional<FirstUser> firstUser,
            CacheExpiry keeping) {
        /// The account of a first start.
        ///
        /// @param document with its password as it is stored
        /// @param password instead of that one
        /// @param random whether a random one takes its place, since others can reach the server
        public record FirstUser(BsonDocument document, Optional<String> password, boolean random) {
            @Override
            public String toString() {
                return "FirstUser";
            }
        }

        private static final String ROLES = "$.roles";
        private static final int RANDOM_BYTES = 15;

        /// Empty when the component is off.
        static Optional<MongoRealmConfig> read(Block block, boolean absent, boolean loopback) {
            if (!block.bool("enabled", absent)) {
                return Optional.empty();
            }
            boolean hashed = block.bool("bcrypt-hashed-password");
            var strength = block.integer("minimum-password-strength");
            return Optional.of(new MongoRealmConfig(
                    users(block, hashed),
                    block.integer("bcrypt-complexity"),
                    block.bool("enforce-minimum-password-strength") ? Optional.of(strength) : Optional.empty(),
                    firstUser(block, loopback),
                    keeping(block)));
        }

        /// The `cache-…` keys of components that keep accounts or permissions.
        static CacheExpiry keeping(Block block) {
            boolean enabled = block.bool("cache-enabled");
            int size = block.integer("cache-size");
            var ttl = block.duration("cache-ttl");
            var expiry = block.oneOf("cache-expire-policy", CacheExpiry.Expiry.class);
            return enabled
                    ? new CacheExpiry(size, ttl, expiry)
                    : new CacheExpiry(size, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE);
        }

        private static UsersCollection users(Block block, boolean hashed) {
            var database = block.text("users-db");
            var collection = block.text("users-collection");
            var roles = roles(block);
            try {
                return new UsersCollection(
                        database, collection, block.text("prop-id"), block.text("prop-password"), roles, hashed);
            } catch (IllegalArgumentException e) {
                block.refuse("prop-id", String.valueOf(e.getMessage()));
                return new UsersCollection(database, collection, "_id", "password", roles, hashed);
            }
        }

        private static RolesPath roles(Block block) {
            try {
                return RolesPath.parse(block.text("json-path-roles"));
            } catch (IllegalArgumentException e) {
                block.refuse("json-path-roles", String.valueOf(e.getMessage()));
                return RolesPath.parse(ROLES);
            }
        }

        private static Optional<FirstUser> firstUser(Block block, boolean loopback) {
            var text = block.text("create-user-document");
            var password = block.optionalText("create-user-password");
            password.ifPresent(chosen -> refuseKnown(block, chosen));
            if (!block.bool("create-user")) {
                return Optional.empty();
            }
            try {
                var document = BsonDocument.parse(text);
                boolean known = document.get(block.text("prop-password")) instanceof BsonString stored
                        && List.of(DefaultAccount.HASH, DefaultAccount.PASSWORD).contains(stored.getValue());
                return Optional.of(new FirstUser(document, password, known && !loopback && password.isEmpty()));
            } catch (JsonParseException _) {
                block.refuse("create-user-document", "is not a JSON object");
                return Optional.empty();
            }
        }

        private static void refuseKnown(Block block, String password) {
            if (password.equals(DefaultAccount.PASSWORD) || Secrets.isPlaceholder(password)) {
                block.refuse("create-user-password", "is a placeholder, which anybody knows");
            } else if (password.getBytes(StandardCharsets.UTF_8).length > PasswordHashes.MAX_PASSWORD_BYTES) {
                block.refuse("create-user-password", "is longer than " + PasswordHashes.MAX_PASSWORD_BYTES + " bytes");
            }
        }

        /// A password that nobody knows.
        public static String randomPassword() {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(SecretValues.random(RANDOM_BYTES));
        }

        /// The form in which a password is stored. Takes as long as bcrypt does.
        public String stored(String password) {
            return users.hashed() ? BCrypt.withDefaults().hashToString(bcryptCost, password.toCharArray()) : password;
        }

        /// Without the password of the first account.
        @Override
        public String toString() {
            return "MongoRealmConfig[" + users + "]";
        }
    }

    /// `mongoAclAuthorizer`.
    public record MongoAclConfig(String database, String collection, Optional<String> rootRole, CacheExpiry keeping)
            implements ProtectedCollection {
        /// Empty when the component is off.
        static Optional<MongoAclConfig> read(Block block, boolean absent) {
            return block.bool("enabled", absent)
                    ? Optional.of(new MongoAclConfig(
                            block.text("acl-db"),
                            block.text("acl-collection"),
                            block.optionalText("root-role"),
                            SecurityStores.MongoRealmConfig.keeping(block)))
                    : Optional.empty();
        }
    }

    /// `apiKeyAuthMechanism` and `apiKeyRealm`.
    public record ApiKeyConfig(
            List<String> headerNames,
            MongoNamespace stored,
            Optional<String> pepper,
            boolean unlimited,
            Duration longest,
            boolean selfService,
            CacheExpiry keeping) {

        /// The collection of keys, also while none are accepted: they count again as soon as the
        /// mechanism is on.
        static MongoNamespace stored(Block realm) {
            return new MongoNamespace(realm.text("keys-db"), realm.text("keys-collection"));
        }

        static ApiKeyConfig read(Block mechanism, Block realm) {
            return new ApiKeyConfig(
                    mechanism.texts("header-names"),
                    stored(realm),
                    realm.secret("pepper"),
                    realm.bool("allow-unlimited"),
                    realm.duration("max-lifetime-days"),
                    realm.bool("self-service"),
                    new CacheExpiry(10_000, realm.duration("cache-ttl"), CacheExpiry.Expiry.AFTER_WRITE));
        }

        @Override
        public String toString() {
            return "ApiKeyConfig[" + stored.getFullName() + "]";
        }
    }

    /// The sessions of `dataApi`.
    public record SessionsConfig(Duration access, Duration refresh, Optional<String> anonymous, MongoNamespace stored) {

        /// The collection of refresh tokens, also while there are no sessions: what is in it counts as
        /// soon as there are.
        static MongoNamespace stored(Block block) {
            return new MongoNamespace(block.text("sessions-db"), block.text("sessions-collection"));
        }

        /// Empty when there are no sessions.
        static Optional<SessionsConfig> read(Block block, SecurityTokens tokens, boolean mongo) {
            if (!block.bool("enabled") || !block.bool("login")) {
                return Optional.empty();
            }
            if (tokens.bearer().isEmpty() || !tokens.jwt().canSign()) {
                block.refuse(
                        "login",
                        "needs jwtAuthenticationMechanism, with a key that can sign: access tokens are bearer tokens");
                return Optional.empty();
            }
            if (!mongo) {
                block.refuse("login", "needs mclient/enabled: refresh tokens are stored");
                return Optional.empty();
            }
            return Optional.of(new SessionsConfig(
                    block.duration("access-ttl"),
                    block.duration("refresh-ttl"),
                    block.optionalText("anonymous-account"),
                    stored(block)));
        }
    }
}
