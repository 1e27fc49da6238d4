package org.restheart.mcp;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.restheart.mcp.RpcRequest.Revision;

/// Counts and times calls. Labels are bounded: tools, outcomes and revisions are closed sets. Thread-safe.
final class McpMeters {
    private final MeterRegistry registry;
    private final DistributionSummary bytes;

    McpMeters(MeterRegistry registry) {
        this.registry = registry;
        this.bytes = DistributionSummary.builder("mcp_result_bytes")
                .description("Bytes of documents in results")
                .register(registry);
    }

    /// @param outcome `done`, `asked`, `refused` or `failed`
    void called(String tool, String outcome, long nanos) {
        count("mcp_calls", "Calls of tools", "tool", tool, "outcome", outcome);
        Timer.builder("mcp_seconds")
                .description("Duration of calls of tools")
                .tag("tool", tool)
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    void result(ToolResult result) {
        bytes.record(result.bytes());
        result.cut().forEach(bound -> count("mcp_cut", "Results that a bound has cut", "bound", bound));
    }

    void refused(String reason) {
        count("mcp_refused", "Requests refused before a tool was called", "reason", reason);
    }

    void legacy(Revision revision) {
        count("mcp_legacy", "Requests of earlier revisions of the protocol", "version", revision.version());
    }

    /// @param tags names and values in turn
    private void count(String name, String description, String... tags) {
        Counter.builder(name)
                .description(description)
                .tags(tags)
                .register(registry)
                .increment();
    }
}
