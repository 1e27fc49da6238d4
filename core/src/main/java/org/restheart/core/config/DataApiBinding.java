package org.restheart.core.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.dataapi.DataApiConfig;

/// `dataApi`.
final class DataApiBinding {
    private static final List<String> VERSIONS = List.of("v1", "beta");

    private DataApiBinding() {}

    /// Empty when the service is off.
    static Optional<DataApiConfig> read(Block block) {
        if (!block.flag("enabled", false)) {
            return Optional.empty();
        }
        var versions = block.texts("versions", VERSIONS);
        if (!VERSIONS.containsAll(versions)) {
            block.refuse("versions", "must be some of " + VERSIONS + " but was " + versions);
        }
        var type = block.text("return-type", "JSON");
        if (!type.equals("JSON") && !type.equals("EJSON")) {
            block.refuse("return-type", "must be JSON or EJSON but was " + type);
        }
        int status = block.integer("insert-status", 201, 200, 201);
        return Optional.of(new DataApiConfig(
                block.uri("uri", "/app"),
                Set.copyOf(block.texts("app-ids", List.of())),
                Set.copyOf(block.texts("data-sources", List.of())),
                Set.copyOf(versions),
                type.equals("EJSON"),
                new DataApiConfig.Limits(
                        block.integer("default-limit", 1_000, 1, 1_000_000),
                        block.integer("max-limit", 50_000, 1, 1_000_000),
                        block.millis("time-limit", 300_000, 0, Integer.MAX_VALUE),
                        block.longInteger("max-response-bytes", 350L << 20, 1, Long.MAX_VALUE)),
                new DataApiConfig.Inserts(
                        status, block.flag("ordered-inserts", false), block.flag("create-collections", false)),
                block.texts("roles", List.of()),
                block.flag("allow-key-from-browsers", false),
                block.optionalText("link-base").orElse("")));
    }
}
