package org.restheart.mcp;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// `mcp` of the configuration.
///
/// @param tools names of the enabled tools; empty for all
/// @param allowedOrigins of browsers, in addition to the server's own
/// @param loopback whether the server listens on loopback addresses only; then `Host` must name one
/// @param baseUrl the public URL of the server; empty to derive it from each request
/// @param writing settings of tools that write; empty to disable them
/// @param timeLimit of pipelines
/// @param countLimit the largest exact count
/// @param explainExecutes whether `executionStats` is allowed
/// @param scanLimit the most documents that a query may examine without an index; empty for no limit
/// @param auditValues whether the audit log contains the values of arguments
/// @param callsPerMinute of one account
/// @param concurrentCalls of one account
public record McpConfig(
        String uri,
        Set<String> tools,
        List<String> allowedOrigins,
        boolean loopback,
        Optional<String> baseUrl,
        Optional<Writing> writing,
        Sizes sizes,
        Duration timeLimit,
        int countLimit,
        boolean explainExecutes,
        Optional<Integer> scanLimit,
        boolean audit,
        boolean auditValues,
        int callsPerMinute,
        int concurrentCalls) {
    private static final Duration QUERIES = Duration.ofSeconds(10);

    public McpConfig {
        tools = Set.copyOf(tools);
        allowedOrigins = List.copyOf(allowedOrigins);
    }

    /// @param confirm whether deletions and changes of many documents have to be confirmed
    /// @param confirmAbove the most documents that a change may match without confirmation
    /// @param requireElicitation whether only the user can confirm
    public record Writing(boolean confirm, int confirmAbove, boolean requireElicitation) {}

    /// Limits of the documents in a result.
    ///
    /// @param defaultDocuments without the argument `limit`
    /// @param defaultBytes without the argument `max-bytes`
    /// @param maxString characters of a text
    /// @param structured whether documents are also in `structuredContent`, where they are not fenced
    public record Sizes(
            int defaultDocuments,
            int maxDocuments,
            int defaultBytes,
            int maxBytes,
            int maxString,
            boolean structured) {}

    /// All valid names in `tools`.
    public static List<String> toolNames() {
        return Arrays.stream(Tool.values()).map(Tool::toolName).toList();
    }

    /// For requests without a pipeline.
    Duration queryTimeLimit() {
        return timeLimit.compareTo(QUERIES) < 0 ? timeLimit : QUERIES;
    }

    boolean isReadOnly() {
        return writing.isEmpty();
    }
}
