package org.restheart.core.config;

import java.util.List;
import java.util.Optional;
import org.restheart.openapi.OpenApiConfig;

/// `openApi`.
final class OpenApiBinding {
    private enum Mode {
        PERMISSIONS,
        EVERYTHING
    }

    private OpenApiBinding() {}

    /// Empty when the service is off.
    static Optional<OpenApiConfig> read(Block block) {
        if (!block.flag("enabled", true)) {
            return Optional.empty();
        }
        return Optional.of(new OpenApiConfig(
                block.uri("uri", "/_openapi"),
                block.isNull("ui-uri") ? Optional.empty() : Optional.of(block.uri("ui-uri", "/_openapi-ui")),
                block.bool("secured", true),
                block.integer("sample-size", 200, 0, 1_000),
                block.millis("sample-ttl", 3_600_000, 1_000, Integer.MAX_VALUE),
                block.integer("parallel-samples", 2, 1, 100),
                block.millis("wait", 3_000, 0, 60_000),
                block.integer("max-collections", 200, 0, 100_000),
                block.integer("cache-bytes", 32 << 20, 0, Integer.MAX_VALUE),
                block.bool("include-services", true),
                block.bool("x-fields", true),
                block.bool("guess-formats", false),
                block.oneOf("mode", Mode.PERMISSIONS) == Mode.EVERYTHING,
                block.bool("public-document", false),
                block.texts("exclude", List.of())));
    }
}
