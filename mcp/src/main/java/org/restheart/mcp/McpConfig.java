package org.restheart.mcp;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// `mcp` of the configuration.
///
/// @param tools names of those that exist; empty for all
/// @param allowedOrigins of browsers, beside the server's own
/// @param loopback whether the server listens on loopback addresses only, so that clients must call it by such a name
/// @param baseUrl by which clients know the server; empty: what each request says
/// @param writing what is needed for tools that write; empty: there are none
/// @param timeLimit of pipelines
/// @param countLimit documents beyond which a count says "at least"
/// @param explainExecutes whether plans may be run for their numbers
/// @param auditValues whether the audit log has the values of arguments
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
    /// @param confirmAbove documents that a change may match without
    /// @param requireElicitation whether only a client that asks its user can confirm
    public record Writing(boolean confirm, int confirmAbove, boolean requireElicitation) {}

    /// What of documents a result holds.
    ///
    /// @param defaultDocuments of a call that does not say how many
    /// @param defaultBytes of a call that does not say how many
    /// @param maxString characters of a text
    /// @param structured whether documents are in `structuredContent` too, where no fence surrounds them
    public record Sizes(
            int defaultDocuments,
            int maxDocuments,
            int defaultBytes,
            int maxBytes,
            int maxString,
            boolean structured) {}

    /// All names that `tools` may have.
    public static List<String> toolNames() {
        return Arrays.stream(Tool.values()).map(Tool::toolName).toList();
    }

    /// Of what is no pipeline.
    Duration queryTimeLimit() {
        return timeLimit.compareTo(QUERIES) < 0 ? timeLimit : QUERIES;
    }

    boolean isReadOnly() {
        return writing.isEmpty();
    }
}
