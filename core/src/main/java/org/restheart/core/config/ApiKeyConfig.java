package org.restheart.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.security.cache.CacheExpiry;

/// `apiKeyAuthMechanism` and `apiKeyRealm`.
///
/// @param headerNames where keys are looked for, besides bearer tokens
/// @param pepper makes digests useless to whoever has only the collection
/// @param unlimited whether keys without an end may be made
/// @param selfService whether accounts may make keys of their own
/// @param keeping how long keys are kept where no change stream tells of changes
public record ApiKeyConfig(
        List<String> headerNames,
        String database,
        String collection,
        Optional<String> pepper,
        boolean unlimited,
        Duration longest,
        boolean selfService,
        CacheExpiry keeping) {

    /// Empty when the mechanism is off.
    static Optional<ApiKeyConfig> read(Block mechanism, Block realm) {
        return mechanism.flag("enabled", false)
                ? Optional.of(new ApiKeyConfig(
                        mechanism.texts("header-names", List.of("apiKey", "api-key")),
                        realm.text("keys-db", "restheart"),
                        realm.text("keys-collection", "apikeys"),
                        realm.optionalText("pepper"),
                        realm.flag("allow-unlimited", false),
                        Duration.ofDays(realm.integer("max-lifetime-days", 365, 1, 36_500)),
                        realm.bool("self-service", true),
                        new CacheExpiry(
                                10_000,
                                realm.millis("cache-ttl", 60_000, 0, Integer.MAX_VALUE),
                                CacheExpiry.Expiry.AFTER_WRITE)))
                : Optional.empty();
    }
}
