package org.restheart.core.config;

import java.util.List;

/// `metrics`, `requestsMetricsCollector` and `jvmMetricsCollector`.
///
/// @param missingRegistryStatus 404 or 200, for a registry that does not exist (yet)
/// @param requests whether requests are measured
/// @param include path templates, each a registry: `*` at the end for the rest, `{x}` for one segment
/// @param exclude path templates of requests that are not measured
/// @param jvm whether the registry `/jvm` exists
public record MetricsConfig(
        Endpoint endpoint,
        int missingRegistryStatus,
        boolean requests,
        List<String> include,
        List<String> exclude,
        boolean jvm) {

    static MetricsConfig read(Block metrics, Block requests, Block jvm) {
        int missing = metrics.integer("missing-registry-status-code", 404, 200, 404);
        if (missing != 200 && missing != 404) {
            metrics.refuse("missing-registry-status-code", "must be 404 or 200 but was " + missing);
        }
        return new MetricsConfig(
                Endpoint.read(metrics, new Endpoint(true, "/metrics", true)),
                missing,
                requests.bool("enabled", false),
                requests.texts("include", List.of("/*")),
                requests.texts("exclude", List.of("/metrics", "/metrics/*")),
                jvm.bool("enabled", false));
    }
}
