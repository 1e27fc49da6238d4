package org.restheart.core.config;

import java.util.Optional;
import org.restheart.mongo.importing.ImportConfig;

/// Reads the block `imports`.
final class ImportBinding {
    private static final long BYTES_PER_ACCOUNT = 10L << 30;
    private static final long BYTES = 40L << 30;

    private ImportBinding() {}

    /// Empty when the service is off.
    static Optional<ImportConfig> read(Block block) {
        return block.flag("enabled", true)
                ? Optional.of(new ImportConfig(
                        block.optionalUri("uri", "/_imports"),
                        block.text("db", "restheart"),
                        block.integer("max-per-account", 4, 1, 1_000),
                        block.longInteger("max-bytes-per-account", BYTES_PER_ACCOUNT, 1, Long.MAX_VALUE),
                        block.longInteger("max-bytes", BYTES, 1, Long.MAX_VALUE)))
                : Optional.empty();
    }
}
