package org.restheart.mcp;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/// Counts and times calls. Labels are bounded: tools, outcomes and revisions are closed sets. Thread-safe.
final class McpMeters {
    private final MeterRegistry registry;
    private final DistributionSummary bytes;

    /// Looked up here, since the registry's own look-up costs more than all else that is counted.
    private final ConcurrentMap<Key, Counter> counters = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Timer> timers = new ConcurrentHashMap<>();

    McpMeters(MeterRegistry registry) {
        this.registry = registry;
        this.bytes = DistributionSummary.builder("mcp_result_bytes")
                .description("Bytes of documents in results")
                .register(registry);
    }

    /// @param outcome `done`, `asked`, `refused` or `failed`
    void called(String tool, String outcome, long nanos) {
        counter(new Key("mcp_calls", tool, outcome), "Calls of tools", "tool", "outcome")
                .increment();
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
                .forEach(bound -> counter(new Key("mcp_cut", bound, ""), "Results that a bound has cut", "bound", "")
                        .increment());
    }

    void refused(String reason) {
        counter(new Key("mcp_refused", reason, ""), "Requests refused before a tool was called", "reason", "")
                .increment();
    }

    void legacy(Revision revision) {
        counter(
                        new Key("mcp_legacy", revision.version(), ""),
                        "Requests of earlier revisions of the protocol",
                        "version",
                        "")
                .increment();
    }

    /// A counter of the registry.
    ///
    /// @param value of the first label
    /// @param second the value of the second one; empty if there is none
    private record Key(String name, String value, String second) {}

    /// @param label the first one
    /// @param second empty if there is none
    private Counter counter(Key key, String description, String label, String second) {
        var known = counters.get(key);
        return known != null
                ? known
                : counters.computeIfAbsent(key, _ -> {
                    var counter =
                            Counter.builder(key.name()).description(description).tag(label, key.value());
                    return (second.isEmpty() ? counter : counter.tag(second, key.second())).register(registry);
                });
    }
}
