package org.restheart.core.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Where traces or metrics are sent by OTLP: what `tracing` and `metrics.otlp` have in common.
public record OtlpConfig(
        Optional<String> endpoint, Map<String, String> headers, Optional<String> serviceName, Duration timeout) {

    static OtlpConfig read(Block block) {
        var endpoint = block.optionalText("endpoint");
        if (endpoint.filter(url -> !url.matches("https?://.+")).isPresent()) {
            block.refuse("endpoint", "must begin with http:// or https://");
        }
        return new OtlpConfig(
                endpoint,
                headers(block.block("headers")),
                block.optionalText("service-name"),
                block.duration("export-timeout-ms"));
    }

    private static Map<String, String> headers(Block block) {
        var headers = new LinkedHashMap<String, String>();
        block.toMap().forEach((name, value) -> headers.put(name, String.valueOf(value)));
        return headers;
    }

    /// Headers may be credentials.
    @Override
    public String toString() {
        return "OtlpConfig[" + endpoint.map(Secrets::inUri).orElse("") + "]";
    }
}
