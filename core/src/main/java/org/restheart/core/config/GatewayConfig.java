package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.restheart.http.MemoryBudget;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.cursor.CursorPoolConfig;
import org.restheart.rest.MongoConfig;
import org.restheart.rest.changestream.ChangeStreamConfig;
import org.restheart.rest.exchange.Preconditions.EtagPolicies;
import org.restheart.rest.exchange.Preconditions.EtagPolicies.EtagPolicy;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.rest.guard.QuerySecurity.PipelineRules;
import org.restheart.rest.importing.ImportConfig;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.resource.Mounts;
import org.restheart.rest.resource.Mounts.Mount;
import org.restheart.rest.session.Sessions;
import org.restheart.rest.session.TransactionsService;
import org.restheart.security.apikey.ApiKeyService;

/// The typed configuration. Immutable. Each part of the server receives the record it needs, never the whole.
/// A part is empty when it is off.
public record GatewayConfig(
        CoreConfig core,
        ListenerConfig http,
        ListenerConfig.Tls https,
        ListenerConfig management,
        ConnectionOptions connection,
        MclientConfig mclient,
        Optional<MongoConfig> mongo,
        LoggingConfig logging,
        PingConfig ping,
        Endpoint health,
        DatabaseProbeConfig databaseProbe,
        MetricsConfig metrics,
        Endpoint cacheInvalidator,
        Endpoint csvLoader,
        Map<String, Configured> modules,
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

    /// The path of a service by the name of its block; empty if it is off.
    public Optional<String> uri(String block) {
        return switch (block) {
            case "mongo" -> mongo.map(MongoConfig::uri);
            case "transactions" -> mongo.map(MongoConfig::uri).map(TransactionsService::uri);
            case "ping" -> ping.endpoint.ifEnabled();
            case "metrics" -> metrics.endpoint.ifEnabled();
            case "roles" -> security.roles().ifEnabled();
            case "database-probe" -> databaseProbe.endpoint.ifEnabled().filter(_ -> mclient.enabled());
            case "apiKeyAuthMechanism" -> security.apiKeys().map(_ -> ApiKeyService.URI);
            case "authTokenService" -> security.tokens().bearerTokenUri();
            default ->
                Optional.ofNullable(modules.get(block))
                        .filter(service -> mongo.isPresent() || !service.needsData())
                        .map(Configured::uri);
        };
    }

    /// The jar that a service needs and that the class path lacks.
    public static Optional<String> missingJar(String block) {
        return ServiceBindings.missingJar(block);
    }

    private static boolean isLocal(ListenerConfig http, ListenerConfig.Tls https) {
        return Stream.of(http, https.listener()).filter(ListenerConfig::enabled).allMatch(ListenerConfig::isLoopback);
    }

    /// Reads everything; errors are added to the findings of the reading.
    static GatewayConfig read(Block root) {
        var mclient = MclientConfig.read(root.block("mclient"), root.block("mongo"));
        var rateLimits = root.block("rateLimits").ifEnabled(block -> RateLimitsConfig.read(block, mclient.enabled()));
        var http = ListenerConfig.read(root.block("http-listener"));
        var https = ListenerConfig.readTls(root.block("https-listener"));
        boolean loopback = isLocal(http, https);
        var modules = ServiceBindings.modules(root, loopback);
        var access = Optional.ofNullable(modules.get("access")).map(Configured::uri);
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
                modules,
                root.block("imports").ifEnabled(ServiceBindings::imports),
                security,
                PluginsConfig.read(root),
                enabled(root.block("dateHeader")),
                enabled(root.block("xPoweredBy")),
                rateLimits,
                root.block("tracing").ifEnabled(TracingConfig::read),
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
    public record PingConfig(Endpoint endpoint, String message, boolean extended) {
        static PingConfig read(Block block) {
            return new PingConfig(Endpoint.read(block), block.text("msg"), block.bool("enable-extended-response"));
        }
    }

    /// `database-probe`.
    public record DatabaseProbeConfig(Endpoint endpoint, Duration timeout, String database) {
        static DatabaseProbeConfig read(Block block) {
            return new DatabaseProbeConfig(Endpoint.read(block), block.duration("timeout-ms"), block.text("dbname"));
        }
    }

    /// `metrics`, `requestsMetricsCollector` and `jvmMetricsCollector`.
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
        public record Push(OtlpConfig collector, Duration interval) {
            private static Push read(Block block) {
                return new Push(OtlpConfig.read(block), block.duration("interval-ms"));
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
                    metrics.block("otlp").ifEnabled(Push::read));
        }
    }

    /// `mongo`: the data API.
    static final class MongoBinding {
        /// Longer than the lifetime of any process.
        private static final Duration FOREVER = Duration.ofDays(36_500);

        private static final Set<String> JAVASCRIPT = Set.of("$function", "$accumulator");
        private static final List<Mount> DEFAULT_MOUNTS = List.of(new Mount("/restheart", "/"));

        private MongoBinding() {}

        /// Empty when the data API is switched off.
        static Optional<MongoConfig> read(Block root, boolean retriesWrites, SecurityConfig security) {
            var queries = querySecurity(root, security);
            var block = root.block("mongo");
            boolean enabled = block.bool("enabled");
            int max = block.integer("max-pagesize");
            int page = block.integer("default-pagesize", Math.min(block.defaultOf("default-pagesize"), max));
            if (page > max) {
                block.refuse("default-pagesize", "must be at most max-pagesize, which is " + max + ", but was " + page);
            }
            var config = new MongoConfig(
                    block.uri("uri"),
                    mounts(block),
                    block.oneOf("default-representation-format", Representation.class),
                    policies(block.block("etag-check-policy")),
                    Math.min(page, max),
                    max,
                    ttl(block, "local-cache-enabled", "local-cache-ttl"),
                    ttl(block, "schema-cache-enabled", "schema-cache-ttl"),
                    block.duration("query-time-limit"),
                    block.duration("aggregation-time-limit"),
                    block.duration("bulk-time-limit", setQueryTimeLimit(block)),
                    block.bool("aggregation-check-operators"),
                    block.bool("strict-parameters"),
                    block.optionalText("instance-base-url"),
                    coalescing(block.block("coalescing"), retriesWrites),
                    cursorPool(block.block("cursor-pool"), allocation(root)),
                    queries,
                    new IndexCheck.Settings(
                            block.oneOf("require-index", IndexCheck.Mode.class), block.integer("require-index-above")),
                    streams(block, root.block("changeStreamActivator").bool("enabled")),
                    sessions(block),
                    security.canAuthenticate());
            return enabled ? Optional.of(config) : Optional.empty();
        }

        /// A limit that a file sets holds for exports and changes of many documents, too; the default
        /// does not.
        private static Duration setQueryTimeLimit(Block block) {
            return block.has("query-time-limit") ? block.duration("query-time-limit") : Duration.ZERO;
        }

        private static CoalescingConfig coalescing(Block block, boolean retriesWrites) {
            return new CoalescingConfig(
                    block.bool("inserts"),
                    block.bool("updates") && retriesWrites,
                    block.bool("reads"),
                    block.bool("queries"),
                    block.integer("concurrent-commands"),
                    block.integer("max-batch"),
                    block.integer("max-batch-bytes"),
                    block.integer("max-queued"),
                    block.duration("max-wait"),
                    retriesWrites,
                    block.bool("header"));
        }

        private static CursorPoolConfig cursorPool(Block block, CursorPoolConfig.Allocation allocation) {
            return new CursorPoolConfig(
                    block.oneOf("mode", CursorPoolConfig.Mode.class),
                    block.integer("slice-width"),
                    block.integer("max-exact-queries"),
                    MemoryBudget.Part.BOOKMARKS.or(block.longInteger("max-bytes")),
                    block.duration("max-age"),
                    allocation);
        }

        /// `eager-cursor-allocation-…` and `cursor-batch-size`, which are top-level keys.
        private static CursorPoolConfig.Allocation allocation(Block root) {
            int width = root.integer("eager-cursor-allocation-linear-slice-width");
            var deltaKey = "eager-cursor-allocation-linear-slice-delta";
            int delta = root.integer(deltaKey, Math.min(root.defaultOf(deltaKey), width - 1));
            if (delta >= width) {
                root.refuse(deltaKey, "must be less than linear-slice-width, which is " + width + ", but was " + delta);
            }
            return new CursorPoolConfig.Allocation(
                    root.integer("eager-cursor-allocation-pool-size"),
                    width,
                    Math.min(delta, width - 1),
                    heights(root),
                    root.integer("eager-cursor-allocation-random-max-cursors"),
                    root.integer("eager-cursor-allocation-random-slice-min-width"),
                    root.integer("cursor-batch-size"));
        }

        private static List<Integer> heights(Block root) {
            var key = "eager-cursor-allocation-linear-slice-heights";
            var heights = root.integers(key);
            if (heights.size() > 100) {
                root.refuse(key, "must have at most 100 numbers but had " + heights.size());
                return List.of();
            }
            return heights;
        }

        private static ChangeStreamConfig streams(Block block, boolean enabled) {
            var ttl = ttl(block, "local-cache-enabled", "local-cache-ttl");
            int cursors = block.integer("change-streams-max-cursors");
            return new ChangeStreamConfig(
                    enabled,
                    block.duration("change-streams-keep-alive-ms"),
                    cursors,
                    block.integer("change-streams-max-cursors-per-account", Math.max(2, cursors / 2)),
                    block.integer("change-streams-max-listeners"),
                    block.integer("change-streams-max-waiting-messages"),
                    block.longInteger("change-streams-max-waiting-bytes"),
                    MemoryBudget.Part.PUSHES.or(block.longInteger("change-streams-max-waiting-bytes-together")),
                    between(ttl, Duration.ofSeconds(1), Duration.ofMinutes(1)),
                    block.duration("change-streams-recheck-ms"),
                    block.bool("validate-streams"));
        }

        private static Sessions.Limits sessions(Block block) {
            int transactions = block.integer("max-transactions");
            return new Sessions.Limits(
                    transactions,
                    block.integer("max-transactions-per-account", Math.max(1, transactions / 2)),
                    block.integer("max-sessions"));
        }

        private static Duration between(Duration time, Duration least, Duration most) {
            return time.compareTo(least) < 0 ? least : time.compareTo(most) > 0 ? most : time;
        }

        private static List<Mount> mounts(Block block) {
            if (!block.has("mongo-mounts")) {
                return DEFAULT_MOUNTS;
            }
            var mounts = block.blocks("mongo-mounts").stream()
                    .map(mount -> new Mount(what(mount), mount.requiredUri("where")))
                    .toList();
            try {
                new Mounts("/", mounts);
            } catch (IllegalArgumentException e) {
                block.refuse("mongo-mounts", Objects.requireNonNull(e.getMessage()));
            }
            return mounts;
        }

        private static String what(Block mount) {
            var what = mount.requiredText("what");
            return what.isEmpty() ? "*" : what;
        }

        private static EtagPolicies policies(Block block) {
            return new EtagPolicies(
                    block.oneOf("db", EtagPolicy.class),
                    block.oneOf("coll", EtagPolicy.class),
                    block.oneOf("doc", EtagPolicy.class));
        }

        /// Zero when the cache is off; a negative time means that nothing expires.
        private static Duration ttl(Block block, String enabled, String ttl) {
            boolean on = block.bool(enabled, true);
            var time = block.duration(ttl);
            if (!on) {
                return Duration.ZERO;
            }
            return time.isNegative() ? FOREVER : time;
        }

        /// `filterOperatorsBlacklist` and `aggregationSecurity`.
        private static QuerySecurity querySecurity(Block root, SecurityConfig security) {
            var pipelines = pipelines(root.block("aggregationSecurity"));
            return new QuerySecurity(
                    filterOperators(root.block("filterOperatorsBlacklist"), pipelines.allowJavaScript()),
                    pipelines,
                    Set.copyOf(operators(root.block("aggregationSecurity"), "additionalOperators")),
                    withheld(security));
        }

        private static boolean isOn(Block block) {
            boolean on = block.bool("enabled");
            if (!on && block.has("enabled")) {
                block.advise("enabled", "is false: what callers send is not protected by it");
            }
            return on;
        }

        /// Operators that run JavaScript are refused too, unless aggregations may run it.
        private static Set<String> filterOperators(Block block, boolean allowJavaScript) {
            var operators = new HashSet<>(operators(block, "blacklist"));
            if (!isOn(block)) {
                return Set.of();
            }
            if (!allowJavaScript) {
                operators.addAll(JAVASCRIPT);
            }
            return operators;
        }

        private static Set<MongoNamespace> withheld(SecurityConfig security) {
            var withheld = new HashSet<>(security.reserved());
            security.mongoRealm()
                    .map(SecurityStores.MongoRealmConfig::users)
                    .ifPresent(users -> withheld.add(new MongoNamespace(users.database(), users.collection())));
            security.mongoAcl().ifPresent(acl -> withheld.add(new MongoNamespace(acl.database(), acl.collection())));
            return withheld;
        }

        private static PipelineRules pipelines(Block block) {
            return new PipelineRules(
                    isOn(block),
                    Set.copyOf(operators(block, "stageBlacklist")),
                    Set.copyOf(operators(block, "operatorBlacklist")),
                    block.bool("allowCrossDatabaseOperations"),
                    block.bool("allowJavaScriptExecution"));
        }

        private static List<String> operators(Block block, String key) {
            var names = block.texts(key);
            names.stream()
                    .filter(name -> !name.startsWith("$"))
                    .forEach(name -> block.refuse(key, "must contain names that start with $ but has " + name));
            return names;
        }
    }

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

    /// `tracing`.
    public record TracingConfig(OtlpConfig collector, double samplingRatio, boolean callersDecide, int maxQueuedSpans) {

        static TracingConfig read(Block block) {
            return new TracingConfig(
                    OtlpConfig.read(block),
                    block.share("sampling-ratio"),
                    block.bool("callers-decide"),
                    block.integer("max-queued-spans"));
        }
    }

    /// `rateLimits`.
    public record RateLimitsConfig(
            Optional<Limit> perAddress,
            Optional<Limit> perAccount,
            List<String> unlimitedRoles,
            List<String> exemptPaths,
            Optional<MongoNamespace> shared) {

        public record Limit(int perMinute, int burst) {}

        static RateLimitsConfig read(Block block, boolean mongo) {
            return new RateLimitsConfig(
                    limit(block, "address"),
                    limit(block, "account"),
                    block.texts("unlimited-roles"),
                    block.texts("exempt-paths"),
                    block.bool("shared") && mongo ? Optional.of(stored(block)) : Optional.empty());
        }

        /// The collection of what gateways have admitted, also while there are no limits: what is in it
        /// counts as soon as there are.
        static MongoNamespace stored(Block block) {
            return new MongoNamespace(block.text("shared-db"), block.text("shared-collection"));
        }

        private static Optional<Limit> limit(Block block, String of) {
            int rate = block.integer(of + "-requests-per-minute");
            int atOnce = block.integer(of + "-burst");
            return rate == 0 ? Optional.empty() : Optional.of(new Limit(rate, atOnce));
        }
    }
}
