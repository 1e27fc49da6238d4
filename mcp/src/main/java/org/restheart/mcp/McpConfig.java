package org.restheart.mcp;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.crypto.spec.SecretKeySpec;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.http.push.PushBudget;

/// `mcp` of the configuration.
///
/// @param tools names of the enabled tools; empty for all
/// @param allowedOrigins of browsers, in addition to the server's own
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
        int concurrentCalls)
        implements Configured {
    private static final Duration QUERIES = Duration.ofSeconds(10);

    public McpConfig {
        tools = Set.copyOf(tools);
        allowedOrigins = List.copyOf(allowedOrigins);
    }

    public static final class Mcp implements ServiceModule {
        @Override
        public String block() {
            return "mcp";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("mcp");
            var tools = block.texts("tools");
            if (!toolNames().containsAll(tools)) {
                block.refuse("tools", "must be some of " + toolNames() + " but was " + tools);
            }
            var writing = new Writing(
                    block.bool("confirm"), block.integer("confirm-above"), block.bool("require-elicitation"));
            int scanLimit = block.integer("scan-limit");
            return new McpConfig(
                    block.uri("uri"),
                    Set.copyOf(tools),
                    block.texts("allowed-origins"),
                    block.url("base-url"),
                    block.bool("read-only") ? Optional.empty() : Optional.of(writing),
                    sizes(block),
                    block.duration("time-limit"),
                    block.integer("count-limit"),
                    block.bool("explain-executes"),
                    block.bool("refuse-collection-scans") ? Optional.of(scanLimit) : Optional.empty(),
                    block.bool("audit"),
                    block.bool("audit-values"),
                    block.integer("calls-per-minute"),
                    block.integer("concurrent-calls"));
        }

        private static Sizes sizes(ConfigBlock block) {
            int maxDocuments = block.integer("max-documents");
            int maxBytes = block.integer("max-bytes");
            return new Sizes(
                    Math.min(block.integer("default-documents"), maxDocuments),
                    maxDocuments,
                    Math.min(block.integer("default-bytes"), maxBytes),
                    maxBytes,
                    block.integer("max-string"),
                    block.bool("structured-documents"));
        }
    }

    @Override
    public void install(Context context) {
        var security = context.get(CallerSecurity.class);
        var service = new McpService(
                this,
                context.get(JudgedRequests.class),
                context.get(DataPaths.class),
                context.get(DataCatalog.class),
                new McpService.Dependencies(
                        security::modelContextBase,
                        security::credential,
                        security::challenges,
                        context.get(KindPermissions.class),
                        context.get(PushBudget.class),
                        new SecretKeySpec(security.key("model context protocol"), "HmacSHA256"),
                        security::useUp,
                        security.collections(),
                        context.isLocal(),
                        context.version()),
                context.get(MeterRegistry.class));
        context.serve(service, uri, UnaryOperator.identity());
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
    static List<String> toolNames() {
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
