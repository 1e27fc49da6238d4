package org.restheart.core.config;

import java.util.Optional;
import org.restheart.mongo.importing.ImportConfig;

/// Reads the block `imports`.
final class ImportBinding {
    private ImportBinding() {}

    /// Empty when the service is off.
    static Optional<ImportConfig> read(Block block) {
        return block.flag("enabled", true)
                ? Optional.of(new ImportConfig(
                        block.optionalUri("uri", "/_imports"),
                        block.text("db", "restheart"),
                        block.integer("max-per-account", 4, 1, 1_000)))
                : Optional.empty();
    }
}
