package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;

/// `rateLimits`.
public record RateLimitsConfig(
        Optional<Limit> perAddress,
        Optional<Limit> perAccount,
        List<String> unlimitedRoles,
        List<String> exemptPaths,
        Optional<MongoNamespace> shared) {

    public record Limit(int perMinute, int burst) {}

    /// Empty when the component is off.
    static Optional<RateLimitsConfig> read(Block block, boolean mongo) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        return Optional.of(new RateLimitsConfig(
                limit(block, "address"),
                limit(block, "account"),
                block.texts("unlimited-roles"),
                block.texts("exempt-paths"),
                shared(block, mongo)));
    }

    /// The collection of what gateways have admitted, also while there are no limits: what is in it counts as soon as
    /// there are.
    static MongoNamespace stored(Block block) {
        return new MongoNamespace(block.text("shared-db"), block.text("shared-collection"));
    }

    private static Optional<MongoNamespace> shared(Block block, boolean mongo) {
        return block.bool("shared") && mongo ? Optional.of(stored(block)) : Optional.empty();
    }

    private static Optional<Limit> limit(Block block, String of) {
        int rate = block.integer(of + "-requests-per-minute");
        int atOnce = block.integer(of + "-burst");
        return rate == 0 ? Optional.empty() : Optional.of(new Limit(rate, atOnce));
    }
}
