package org.restheart.mcp;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Counts and times calls. Labels are bounded: tools, outcomes and revisions are closed sets.
record McpMeters(MeterRegistry registry, Map<List<String>, Meter> known) {
    McpMeters(MeterRegistry registry) {
        this(registry, new ConcurrentHashMap<>());
    }

    /// @param outcome `done`, `asked`, `refused` or `failed`
    void called(String tool, String outcome, long nanos) {
        count("mcp_calls", "Calls of tools", "tool", tool, "outcome", outcome);
        if (meter(
                        List.of("mcp_seconds", tool),
                        () -> Timer.builder("mcp_seconds")
                                .description("Duration of calls of tools")
                                .tag("tool", tool)
                                .register(registry))
                instanceof Timer timer) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    void result(ToolResult result) {
        if (meter(
                        List.of("mcp_result_bytes"),
                        () -> DistributionSummary.builder("mcp_result_bytes")
                                .description("Bytes of documents in results")
                                .register(registry))
                instanceof DistributionSummary bytes) {
            bytes.record(result.bytes());
        }
        result.cut().forEach(bound -> count("mcp_cut", "Results that a bound has cut", "bound", bound));
    }

    void refused(String reason) {
        count("mcp_refused", "Requests refused before a tool was called", "reason", reason);
    }

    void legacy(Revision revision) {
        count("mcp_legacy", "Requests of earlier revisions of the protocol", "version", revision.version());
    }

    private void count(String name, String description, String... tags) {
        if (meter(
                        labelled(name, tags),
                        () -> Counter.builder(name)
                                .description(description)
                                .tags(tags)
                                .register(registry))
                instanceof Counter counter) {
            counter.increment();
        }
    }

    private static List<String> labelled(String name, String... tags) {
        var all = new ArrayList<>(List.of(tags));
        all.add(name);
        return all;
    }

    /// Looked up here, since the registry's own look-up costs more than all else that is counted.
    private Meter meter(List<String> key, Supplier<Meter> registered) {
        var meter = known.get(key);
        return meter != null ? meter : known.computeIfAbsent(key, _ -> registered.get());
    }
}
