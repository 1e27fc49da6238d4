package org.restheart.core.tracing;

import io.opentelemetry.api.common.Attributes;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.restheart.core.config.TracingConfig;

/// What the configuration and, where that says nothing, OpenTelemetry's usual environment variables say of the
/// collector and of this service.
///
/// @param url to which spans are sent
/// @param headers of each export
/// @param resource the attributes of this service
record CollectorSettings(String url, Map<String, String> headers, Attributes resource) {
    private static final String PATH = "/v1/traces";

    /// @param version of this build
    /// @param instance the name of this instance
    static CollectorSettings of(
            TracingConfig config, Map<String, String> environment, String version, String instance) {
        var headers = pairs(environment, "OTEL_EXPORTER_OTLP_HEADERS");
        headers.putAll(pairs(environment, "OTEL_EXPORTER_OTLP_TRACES_HEADERS"));
        headers.putAll(config.headers());
        var service = config.serviceName()
                .or(() -> set(environment, "OTEL_SERVICE_NAME"))
                .orElse("restheart");
        var resource = Attributes.builder();
        resource.put("service.name", service);
        resource.put("service.version", version);
        resource.put("service.instance.id", instance);
        pairs(environment, "OTEL_RESOURCE_ATTRIBUTES").forEach((name, value) -> {
            if (!name.equals("service.name")) { // which has a variable of its own
                resource.put(name, value);
            }
        });
        return new CollectorSettings(url(config, environment), headers, resource.build());
    }

    private static String url(TracingConfig config, Map<String, String> environment) {
        return config.endpoint()
                .map(CollectorSettings::withPath)
                .or(() -> set(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
                .or(() -> set(environment, "OTEL_EXPORTER_OTLP_ENDPOINT").map(CollectorSettings::withPath))
                .orElse("http://localhost:4318" + PATH);
    }

    private static String withPath(String base) {
        return base.endsWith(PATH) ? base : base.replaceFirst("/+$", "") + PATH;
    }

    private static Optional<String> set(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).map(String::strip).filter(value -> !value.isEmpty());
    }

    /// `name=value` pairs with commas between them; values may be percent-encoded.
    private static Map<String, String> pairs(Map<String, String> environment, String name) {
        var pairs = new LinkedHashMap<String, String>();
        for (var pair : set(environment, name).orElse("").split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                pairs.put(
                        pair.substring(0, equals).strip(),
                        decoded(pair.substring(equals + 1).strip()));
            }
        }
        return pairs;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return value;
        }
    }
}
