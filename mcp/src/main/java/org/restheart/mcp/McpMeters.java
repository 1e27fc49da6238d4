package org.restheart.mcp;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/// Counts and times calls. Labels are bounded: tools, outcomes and revisions are closed sets. Thread-safe.
final class McpMeters {
    private final MeterRegistry registry;
    private final DistributionSummary bytes;

    /// Looked up here, since the registry's own look-up costs more than all else that is counted.
    private final ConcurrentMap<List<String>, Counter> counters = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Timer> timers = new ConcurrentHashMap<>();

    McpMeters(MeterRegistry registry) {
        this.registry = registry;
        this.bytes = DistributionSummary.builder("mcp_result_bytes")
                .description("Bytes of documents in results")
                .register(registry);
    }

    /// @param outcome `done`, `asked`, `refused` or `failed`
    void called(String tool, String outcome, long nanos) {
        counter("mcp_calls", "Calls of tools", "tool", tool, "outcome", outcome).increment();
        timers.computeIfAbsent(
                        tool,
                        _ -> Timer.builder("mcp_seconds")
                                .description("Duration of calls of tools")
                                .tag("tool", tool)
                                .register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    void result(ToolResult result) {
        bytes.record(result.bytes());
        result.cut()
                .forEach(bound -> counter("mcp_cut", "Results that a bound has cut", "bound", bound)
                        .increment());
    }

    void refused(String reason) {
        counter("mcp_refused", "Requests refused before a tool was called", "reason", reason)
                .increment();
    }

    void legacy(Revision revision) {
        counter("mcp_legacy", "Requests of earlier revisions of the protocol", "version", revision.version())
                .increment();
    }

    /// @param labels names, each followed by its value
    private Counter counter(String name, String description, String... labels) {
        return counters.computeIfAbsent(
                List.of(name, String.join("\n", labels)),
                _ -> Counter.builder(name).description(description).tags(labels).register(registry));
    }
}
