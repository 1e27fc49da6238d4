package org.restheart.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.restheart.console.ConsoleConfig;
import org.restheart.dataapi.DataApiConfig;
import org.restheart.graphql.GraphqlConfig;
import org.restheart.mcp.McpConfig;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.importing.ImportConfig;
import org.restheart.openapi.OpenApiConfig;

/// The typed configuration. Immutable. Each part of the server receives the record it needs, never the whole.
///
/// @param management for metrics and probes without accounts
/// @param mongo the data API; empty when it is switched off
/// @param graphql empty when it is switched off
/// @param dataApi the Atlas Data API; empty when it is switched off
/// @param openApi empty when it is switched off
/// @param mcp the Model Context Protocol; empty when it is switched off
/// @param console empty when it is switched off
/// @param health `/live` and `/ready` below its path
/// @param graphiql the page for trying GraphQL apps
/// @param rateLimits empty when they are switched off
/// @param tracing empty when it is switched off
/// @param plugins where they are, and their blocks
/// @param dateHeader whether answers carry `Date`
/// @param poweredByHeader whether answers carry `X-Powered-By`
public record GatewayConfig(
        CoreConfig core,
        ListenerConfig http,
        ListenerConfig.Tls https,
        ListenerConfig management,
        ConnectionOptions connection,
        MclientConfig mclient,
        Optional<MongoConfig> mongo,
        Optional<GraphqlConfig> graphql,
        LoggingConfig logging,
        PingConfig ping,
        Endpoint health,
        DatabaseProbeConfig databaseProbe,
        MetricsConfig metrics,
        Endpoint cacheInvalidator,
        Endpoint csvLoader,
        Optional<DataApiConfig> dataApi,
        Optional<OpenApiConfig> openApi,
        Optional<McpConfig> mcp,
        Optional<ConsoleConfig> console,
        Endpoint graphiql,
        Endpoint access,
        Optional<ImportConfig> imports,
        SecurityConfig security,
        PluginsConfig plugins,
        boolean dateHeader,
        boolean poweredByHeader,
        Optional<RateLimitsConfig> rateLimits,
        Optional<TracingConfig> tracing,
        List<ProxyConfig> proxies,
        List<StaticResourceConfig> staticResources) {

    /// The configuration of a YAML text, without overrides: for tests and for embedding.
    ///
    /// @throws ConfigException naming everything that is wrong
    public static GatewayConfig parse(String yaml) {
        return Configuration.parse(yaml).read().orThrow();
    }

    /// Whether this machine alone can reach the server.
    public boolean isLocal() {
        return isLocal(http, https);
    }

    private static boolean isLocal(ListenerConfig http, ListenerConfig.Tls https) {
        return Stream.of(http, https.listener()).filter(ListenerConfig::enabled).allMatch(ListenerConfig::isLoopback);
    }

    /// Reads everything; errors are added to the findings of the reading.
    ///
    /// @param root the whole configuration
    static GatewayConfig read(Block root) {
        var mclient = MclientConfig.read(root.block("mclient"), root.block("mongo"));
        var access = Endpoint.read(root.block("access"));
        var rateLimits = RateLimitsConfig.read(root.block("rateLimits"), mclient.enabled());
        var http = ListenerConfig.read(root.block("http-listener"));
        var https = ListenerConfig.readTls(root.block("https-listener"));
        boolean loopback = isLocal(http, https);
        var security = SecurityConfig.read(root, mclient.enabled(), access, loopback);
        var core = CoreConfig.read(
                root.block("core"),
                Runtime.getRuntime().availableProcessors(),
                Runtime.getRuntime().maxMemory());
        var config = new GatewayConfig(
                core,
                http,
                https,
                ListenerConfig.readManagement(root.block("management-listener")),
                ConnectionOptions.read(root.block("connection-options")),
                mclient,
                MongoBinding.read(root, mclient.retriesWrites(), security),
                ServiceBindings.graphql(root),
                LoggingConfig.read(root.block("logging")),
                PingConfig.read(root.block("ping")),
                Endpoint.read(root.block("health")),
                DatabaseProbeConfig.read(root.block("database-probe")),
                MetricsConfig.read(
                        root.block("metrics"),
                        root.block("requestsMetricsCollector"),
                        root.block("jvmMetricsCollector")),
                Endpoint.read(root.block("cacheInvalidator")),
                Endpoint.read(root.block("csvLoader")),
                ServiceBindings.dataApi(root.block("dataApi")),
                ServiceBindings.openApi(root.block("openApi")),
                ServiceBindings.mcp(root.block("mcp"), loopback),
                ServiceBindings.console(root.block("console"), core.name(), loopback),
                Endpoint.read(root.block("graphiql")),
                access,
                ServiceBindings.imports(root.block("imports")),
                security,
                PluginsConfig.read(root),
                enabled(root.block("dateHeader")),
                enabled(root.block("xPoweredBy")),
                rateLimits,
                TracingConfig.read(root.block("tracing")),
                ProxyConfig.read(root.blocks("proxies")),
                StaticResourceConfig.read(root.blocks("static-resources")));
        for (var name : List.of("http-listener", "https-listener")) {
            var listener = name.equals("http-listener") ? config.http : config.https.listener();
            if (listener.proxyProtocol()
                    && root.block("core").texts("trusted-proxies").isEmpty()) {
                root.block(name).refuse("proxy-protocol", "is true: name the proxies in /core/trusted-proxies");
            }
        }
        if (!config.http.enabled() && !config.https.enabled()) {
            root.refuse("http-listener", "and https-listener are disabled: one must be enabled");
        }
        return config;
    }

    private static boolean enabled(Block component) {
        return component.bool("enabled");
    }

    /// `ping`.
    ///
    /// @param message of the answer
    /// @param extended whether the response also contains the client's address, the host, the version and the build
    ///     time
    public record PingConfig(Endpoint endpoint, String message, boolean extended) {
        static PingConfig read(Block block) {
            return new PingConfig(Endpoint.read(block), block.text("msg"), block.bool("enable-extended-response"));
        }
    }

    /// `database-probe`.
    ///
    /// @param timeout after which MongoDB counts as unavailable
    /// @param database that is pinged
    public record DatabaseProbeConfig(Endpoint endpoint, Duration timeout, String database) {
        static DatabaseProbeConfig read(Block block) {
            return new DatabaseProbeConfig(Endpoint.read(block), block.duration("timeout-ms"), block.text("dbname"));
        }
    }

    /// `metrics`, `requestsMetricsCollector` and `jvmMetricsCollector`.
    ///
    /// @param missingRegistryStatus 404 or 200, for a registry that does not exist (yet)
    /// @param requests whether requests are measured
    /// @param include path templates, each a registry: `*` at the end for the rest, `{x}` for one segment
    /// @param exclude path templates of requests that are not measured
    /// @param accounts whose usage is measured one by one, at most
    /// @param jvm whether the registry `/jvm` exists
    /// @param push empty when metrics are not pushed to a collector
    public record MetricsConfig(
            Endpoint endpoint,
            int missingRegistryStatus,
            boolean requests,
            List<String> include,
            List<String> exclude,
            int accounts,
            boolean jvm,
            Optional<Push> push) {

        /// `metrics.otlp`.
        ///
        /// @param interval from one push to the next
        public record Push(OtlpConfig collector, Duration interval) {
            private static Optional<Push> read(Block block) {
                return block.bool("enabled")
                        ? Optional.of(new Push(OtlpConfig.read(block), block.duration("interval-ms")))
                        : Optional.empty();
            }
        }

        static MetricsConfig read(Block metrics, Block requests, Block jvm) {
            return new MetricsConfig(
                    Endpoint.read(metrics),
                    metrics.integer("missing-registry-status-code"),
                    requests.bool("enabled"),
                    requests.texts("include"),
                    requests.texts("exclude"),
                    requests.integer("accounts"),
                    jvm.bool("enabled"),
                    Push.read(metrics.block("otlp")));
        }
    }
}
