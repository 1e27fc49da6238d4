package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.security.cache.CacheExpiry;

/// `apiKeyAuthMechanism` and `apiKeyRealm`.
///
/// @param headerNames headers that may contain keys, besides bearer tokens
/// @param stored the collection of keys
/// @param pepper a secret in the digests, so that the collection alone does not allow guessing keys
/// @param unlimited whether keys that do not expire may be created
/// @param selfService whether accounts may create their own keys
/// @param keeping how long keys are cached without a change stream
public record ApiKeyConfig(
        List<String> headerNames,
        MongoNamespace stored,
        Optional<String> pepper,
        boolean unlimited,
        Duration longest,
        boolean selfService,
        CacheExpiry keeping) {

    /// The collection of keys, also while none are accepted: they count again as soon as the mechanism is on.
    static MongoNamespace stored(Block realm) {
        return new MongoNamespace(realm.text("keys-db", "restheart"), realm.text("keys-collection", "apikeys"));
    }

    /// Empty when the mechanism is off.
    static Optional<ApiKeyConfig> read(Block mechanism, Block realm) {
        return mechanism.bool("enabled", false)
                ? Optional.of(new ApiKeyConfig(
                        mechanism.texts("header-names", List.of("apiKey", "api-key")),
                        stored(realm),
                        realm.optionalText("pepper"),
                        realm.bool("allow-unlimited", false),
                        Duration.ofDays(realm.integer("max-lifetime-days", 365, 1, 36_500)),
                        realm.bool("self-service", true),
                        new CacheExpiry(
                                10_000,
                                realm.millis("cache-ttl", 1_000, 0, Integer.MAX_VALUE),
                                CacheExpiry.Expiry.AFTER_WRITE)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return "ApiKeyConfig[" + stored.getFullName() + "]";
    }
}
