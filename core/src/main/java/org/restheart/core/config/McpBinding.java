package org.restheart.core.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.mcp.McpConfig;

/// `mcp`.
final class McpBinding {
    private static final int MAX_DOCUMENTS = 1_000;
    private static final int MAX_BYTES = 4 << 20;

    private McpBinding() {}

    /// Empty when the service is off.
    ///
    /// @param loopback whether all listeners are bound to loopback addresses
    static Optional<McpConfig> read(Block block, boolean loopback) {
        if (!block.flag("enabled", false)) {
            return Optional.empty();
        }
        var tools = block.texts("tools", List.of());
        if (!McpConfig.toolNames().containsAll(tools)) {
            block.refuse("tools", "must be some of " + McpConfig.toolNames() + " but was " + tools);
        }
        var writing = new McpConfig.Writing(
                block.bool("confirm", true),
                block.integer("confirm-above", 1, 0, Integer.MAX_VALUE),
                block.bool("require-elicitation", false));
        return Optional.of(new McpConfig(
                block.uri("uri", "/_mcp"),
                Set.copyOf(tools),
                block.texts("allowed-origins", List.of()),
                loopback,
                baseUrl(block),
                block.bool("read-only", true) ? Optional.empty() : Optional.of(writing),
                sizes(block),
                block.millis("time-limit", 30_000, 100, 300_000),
                block.integer("count-limit", 1_000_000, 1, Integer.MAX_VALUE - 1),
                block.bool("explain-executes", false),
                scanLimit(block),
                block.bool("audit", true),
                block.bool("audit-values", false),
                block.integer("calls-per-minute", 120, 1, 1_000_000),
                block.integer("concurrent-calls", 8, 1, 10_000)));
    }

    private static Optional<Integer> scanLimit(Block block) {
        int limit = block.integer("scan-limit", 10_000, 0, Integer.MAX_VALUE - 1);
        return block.bool("refuse-collection-scans", false) ? Optional.of(limit) : Optional.empty();
    }

    private static McpConfig.Sizes sizes(Block block) {
        int maxDocuments = block.integer("max-documents", 100, 1, MAX_DOCUMENTS);
        int maxBytes = block.integer("max-bytes", 262_144, 1_024, MAX_BYTES);
        return new McpConfig.Sizes(
                Math.min(block.integer("default-documents", 10, 1, MAX_DOCUMENTS), maxDocuments),
                maxDocuments,
                Math.min(block.integer("default-bytes", 32_768, 1_024, MAX_BYTES), maxBytes),
                maxBytes,
                block.integer("max-string", 1_000, 10, 1 << 20),
                block.bool("structured-documents", false));
    }

    private static Optional<String> baseUrl(Block block) {
        var url = block.optionalText("base-url").map(text -> text.replaceFirst("/+$", ""));
        url.ifPresent(text -> {
            try {
                var uri = new URI(text);
                if (uri.getHost() == null || uri.getScheme() == null) {
                    block.refuse("base-url", "must be a URL such as https://db.example but was " + text);
                }
            } catch (URISyntaxException _) {
                block.refuse("base-url", "must be a URL such as https://db.example but was " + text);
            }
        });
        return url;
    }
}
