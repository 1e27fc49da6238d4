package org.restheart.core.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// `tracing`.
///
/// @param endpoint base URL of the collector; empty for what the environment says
/// @param headers of each export, besides those of the environment
/// @param serviceName empty for what the environment says
/// @param samplingRatio which part of the requests is traced, from 0 to 1
/// @param callersDecide whether a request is traced whatever the ratio if its caller's span is, and only then
/// @param maxQueuedSpans that wait for the collector; more are dropped
/// @param exportTimeout of one export
public record TracingConfig(
        Optional<String> endpoint,
        Map<String, String> headers,
        Optional<String> serviceName,
        double samplingRatio,
        boolean callersDecide,
        int maxQueuedSpans,
        Duration exportTimeout) {

    /// Empty when the component is off.
    static Optional<TracingConfig> read(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        var endpoint = block.optionalText("endpoint");
        if (endpoint.filter(url -> !url.matches("https?://.+")).isPresent()) {
            block.refuse("endpoint", "must begin with http:// or https://");
        }
        return Optional.of(new TracingConfig(
                endpoint,
                headers(block.block("headers")),
                block.optionalText("service-name"),
                block.share("sampling-ratio"),
                block.bool("callers-decide"),
                block.integer("max-queued-spans"),
                block.duration("export-timeout-ms")));
    }

    private static Map<String, String> headers(Block block) {
        var headers = new LinkedHashMap<String, String>();
        block.toMap().forEach((name, value) -> headers.put(name, String.valueOf(value)));
        return headers;
    }

    /// Headers may be credentials.
    @Override
    public String toString() {
        return "TracingConfig[" + endpoint.map(Secrets::inUri).orElse("") + "]";
    }
}
