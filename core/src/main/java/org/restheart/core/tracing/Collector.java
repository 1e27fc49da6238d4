package org.restheart.core.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.restheart.core.config.GatewayConfig.OtlpConfig;

/// What the configuration and, where that says nothing, OpenTelemetry's usual environment variables say
/// of the collector of a signal and of this service.
public record Collector(String url, Map<String, String> headers, Resource resource) {
    public enum Signal {
        TRACES,
        METRICS;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        private String path() {
            return "/v1/" + label();
        }

        private String variable(String what) {
            return "OTEL_EXPORTER_OTLP_" + name() + "_" + what;
        }
    }

    public static Collector of(
            Signal signal, OtlpConfig config, Map<String, String> environment, String version, String instance) {
        var headers = pairs(environment, "OTEL_EXPORTER_OTLP_HEADERS");
        headers.putAll(pairs(environment, signal.variable("HEADERS")));
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
        return new Collector(url(signal, config, environment), headers, Resource.create(resource.build()));
    }

    private static String url(Signal signal, OtlpConfig config, Map<String, String> environment) {
        return config.endpoint()
                .map(base -> withPath(base, signal.path()))
                .or(() -> set(environment, signal.variable("ENDPOINT")))
                .or(() -> set(environment, "OTEL_EXPORTER_OTLP_ENDPOINT").map(base -> withPath(base, signal.path())))
                .orElse("http://localhost:4318" + signal.path());
    }

    private static String withPath(String base, String path) {
        return base.endsWith(path) ? base : base.replaceFirst("/+$", "") + path;
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
