package org.restheart.mcp;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;

/// Counts and times calls. Labels are few: tools, outcomes and revisions are closed sets.
record McpMeters(MeterRegistry registry) {
    /// @param outcome `done`, `asked`, `refused` or `failed`
    void called(String tool, String outcome, long nanos) {
        registry.counter("mcp_calls", "tool", tool, "outcome", outcome).increment();
        registry.timer("mcp_seconds", "tool", tool).record(nanos, TimeUnit.NANOSECONDS);
    }

    void result(ToolResult result) {
        DistributionSummary.builder("mcp_result_bytes").register(registry).record(result.bytes());
        result.cut()
                .forEach(bound -> registry.counter("mcp_cut", "bound", bound).increment());
    }

    void refused(String reason) {
        registry.counter("mcp_refused", "reason", reason).increment();
    }

    void legacy(Revision revision) {
        registry.counter("mcp_legacy", "version", revision.version()).increment();
    }
}
