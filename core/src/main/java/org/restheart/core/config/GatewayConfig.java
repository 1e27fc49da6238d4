package org.restheart.core.config;

import java.util.List;

/// What the configuration means. Immutable. Each part of the server is given the record it needs, never the whole.
///
/// @param dateHeader whether answers carry `Date`
/// @param poweredByHeader whether answers carry `X-Powered-By`
public record GatewayConfig(
        CoreConfig core,
        ListenerConfig http,
        ListenerConfig.Tls https,
        ListenerConfig ajp,
        ConnectionOptions connection,
        MclientConfig mclient,
        LoggingConfig logging,
        PingConfig ping,
        DatabaseProbeConfig databaseProbe,
        MetricsConfig metrics,
        Endpoint cacheInvalidator,
        boolean dateHeader,
        boolean poweredByHeader,
        List<ProxyConfig> proxies,
        List<StaticResourceConfig> staticResources) {

    /// The configuration that a YAML text means, without overrides: for tests and for embedding.
    ///
    /// @throws ConfigException naming everything that is wrong
    public static GatewayConfig parse(String yaml) {
        var reading = new Reading();
        var config = read(Block.root(Yaml.parse(yaml, "configuration", reading), reading));
        var refused = reading.findings().stream()
                .filter(finding -> finding.level() == Finding.Level.REFUSED)
                .toList();
        if (!refused.isEmpty()) {
            throw new ConfigException(refused);
        }
        return config;
    }

    /// Reads everything; what is wrong is in the reading's findings.
    ///
    /// @param root the whole configuration
    static GatewayConfig read(Block root) {
        var config = new GatewayConfig(
                CoreConfig.read(root.block("core"), Runtime.getRuntime().availableProcessors()),
                ListenerConfig.read(root.block("http-listener"), true, 8080),
                ListenerConfig.readTls(root.component("https-listener")),
                ListenerConfig.read(root.component("ajp-listener"), false, 8009),
                ConnectionOptions.read(root.block("connection-options")),
                MclientConfig.read(root.block("mclient")),
                LoggingConfig.read(root.block("logging")),
                PingConfig.read(root.component("ping")),
                DatabaseProbeConfig.read(root.component("database-probe")),
                MetricsConfig.read(
                        root.component("metrics"),
                        root.component("requestsMetricsCollector"),
                        root.component("jvmMetricsCollector")),
                Endpoint.read(root.component("cacheInvalidator"), new Endpoint(true, "/ic", true)),
                enabled(root.component("dateHeader")),
                enabled(root.component("xPoweredBy")),
                ProxyConfig.read(root.blocks("proxies")),
                StaticResourceConfig.read(root.blocks("static-resources")));
        if (!config.http.enabled() && !config.https.enabled() && !config.ajp.enabled()) {
            root.refuse("http-listener", "and the other listeners are disabled: one must be enabled");
        }
        return config;
    }

    private static boolean enabled(Block component) {
        return component.bool("enabled", true);
    }
}
