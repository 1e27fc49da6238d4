package org.restheart.core.metrics;

import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import com.mongodb.event.CommandListener;
import com.sun.management.UnixOperatingSystemMXBean;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.restheart.core.config.GatewayConfig.MetricsConfig;
import org.restheart.core.filter.RateLimits;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.tracing.ExportReport;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.CacheMeter;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Lease;
import org.restheart.http.Service.Traffic;
import org.restheart.http.access.Account;

/// All registries of this gateway. Thread-safe.
public final class Metrics implements AutoCloseable {
    /// What registers meters of its own, in the order of the text of all registries.
    public enum Part {
        JVM("/jvm"),
        PROCESS("/process"),
        GATEWAY("/gateway"),
        CACHES("/caches"),
        MONGO_POOL("/mongo-pool"),
        COALESCING("/coalescing"),
        STREAMS("/streams"),
        DATA_API("/data-api"),
        OPENAPI("/openapi"),
        MCP("/mcp"),
        PLUGINS("/plugins");

        private final String path;

        Part(String path) {
            this.path = path;
        }
    }

    private final Optional<RequestMetrics> requests;
    private final int accounts;
    private volatile Reload lastReload = new Reload(true, Instant.now());

    private record Reload(boolean done, Instant time) {}

    private final Map<Part, MeteredRegistry> parts = new EnumMap<>(Part.class);

    /// Meters refer to them weakly.
    private final List<CacheMeter> watched = new ArrayList<>();

    public Metrics(MetricsConfig config, String version, String buildTime) {
        this.requests = config.requests()
                ? Optional.of(new RequestMetrics(config.include(), config.exclude()))
                : Optional.empty();
        this.accounts = config.accounts();
        for (var part : Part.values()) {
            if (part != Part.JVM || config.jvm()) {
                parts.put(part, new MeteredRegistry(part.path));
            }
        }
        if (config.jvm()) {
            new ProcessMeters(registry(Part.JVM).meters()).registerJvm();
        }
        new ProcessMeters(registry(Part.PROCESS).meters()).registerProcess(version, buildTime);
        var gateway = meters(Part.GATEWAY);
        gateway.gauge(
                "gateway_reload_success",
                "1 if the configuration was taken over at the start or the last SIGHUP, 0 if it was refused",
                this,
                metrics -> metrics.lastReload.done ? 1 : 0);
        gateway.gauge(
                "gateway_reload_timestamp_seconds",
                "When that was, in seconds since 1970",
                this,
                metrics -> metrics.lastReload.time.getEpochSecond());
    }

    public List<Observer> observers() {
        var all = new ArrayList<Observer>();
        requests.ifPresent(all::add);
        all.add(new OtherTraffic(of(Part.GATEWAY)));
        if (accounts > 0) {
            all.add(new AccountUsage(of(Part.GATEWAY), accounts));
        }
        return all;
    }

    public MeterRegistry of(Part part) {
        return registry(part).meters();
    }

    private MeteredRegistry registry(Part part) {
        return Objects.requireNonNull(parts.get(part));
    }

    /// Notes the end of a reload.
    public void reloaded(boolean done) {
        lastReload = new Reload(done, Instant.now());
    }

    /// Shows whether a server of MongoDB answers, as the driver's heartbeats find out.
    public void watch(MongoClient client) {
        meters(Part.MONGO_POOL)
                .gauge(
                        "mongodb_up",
                        "1 if a server of MongoDB answers, else 0",
                        client,
                        mongo -> mongo.getClusterDescription().getServerDescriptions().stream()
                                        .anyMatch(ServerDescription::isOk)
                                ? 1
                                : 0);
    }

    /// Measures the commands of a MongoDB client.
    ///
    /// @param slow what is logged takes longer; zero for nothing
    public CommandListener commands(Duration slow) {
        return new MongoCommands(of(Part.MONGO_POOL), slow);
    }

    /// Shows the server's load as part of the registry `/gateway`.
    public void watch(UndertowListener server) {
        var meters = meters(Part.GATEWAY);
        meters.gauge(
                "gateway_requests_in_flight",
                "Requests that have arrived and are not answered yet",
                server,
                UndertowListener::inFlight);
        meters.gauge(
                "gateway_requests_in_flight_max",
                "Requests in flight beyond which further ones are refused",
                server,
                UndertowListener::maxInFlight);
        meters.gauge(
                "gateway_connections", "Connections of clients that are open", server, UndertowListener::connections);
        server.certificateExpiry().ifPresent(_ -> {
            meters.gauge(
                    "gateway_certificate_expiry_timestamp_seconds",
                    "When the certificate of https-listener ends, in seconds since 1970",
                    server,
                    listener -> listener.certificateExpiry().orElseThrow().getEpochSecond());
            meters.gauge(
                    "gateway_certificate_current",
                    "1 if the certificate is that of the files, 0 if these have changed and cannot be used",
                    server,
                    listener -> listener.isCertificateCurrent() ? 1 : 0);
        });
        meters.count(
                "gateway_connections_refused",
                "Connections closed at once because there were too many, of all clients or of one address",
                server,
                UndertowListener::refusedConnections);
        meters.count(
                "gateway_requests_rejected",
                "Requests refused with 503 because too many were in flight or the server was stopping",
                server,
                UndertowListener::rejected);
        meters.count(
                "gateway_computations_refused",
                "Requests refused with 503 because others were computed",
                ComputeLimit.SHARED,
                ComputeLimit::refused);
        meters.count(
                "gateway_memory_refused",
                "Requests refused with 503 because there was no memory for them in time",
                Lease.CONSTANT,
                _ -> Lease.refused());
    }

    /// Shows what became of spans: those that were recorded and neither sent nor lost wait, or were dropped
    /// because too many waited.
    public void watch(Tracing tracing) {
        var description = "Spans of traces: recorded, sent to the collector, lost because that did not take them";
        meters(Part.GATEWAY, "outcome", "recorded").count("gateway_spans", description, tracing, Tracing::recorded);
        watch("gateway_spans", description, tracing.report());
    }

    private void watch(String name, String description, ExportReport report) {
        meters(Part.GATEWAY, "outcome", "sent").count(name, description, report, ExportReport::sent);
        meters(Part.GATEWAY, "outcome", "lost").count(name, description, report, ExportReport::lost);
    }

    /// Pushes all metrics to a collector.
    public OtlpMetrics push(MetricsConfig.Push push, String version, String instance) {
        var pushed = new OtlpMetrics(this::snapshots, push, version, instance);
        watch(
                "gateway_metric_pushes",
                "Pushes of metrics: sent to the collector, lost because that did not take them",
                pushed.report());
        return pushed;
    }

    private List<MetricSnapshot> snapshots() {
        var all = new ArrayList<MetricSnapshot>();
        requests.ifPresent(metrics -> all.addAll(metrics.snapshots()));
        parts.values()
                .forEach(registry ->
                        registry.meters().getPrometheusRegistry().scrape().forEach(all::add));
        return all;
    }

    public <T> void watchLog(String log, T source, ToDoubleFunction<T> lost) {
        meters(Part.GATEWAY, "log", log)
                .count("gateway_log_lines_lost", "Lines that came faster than they could be written", source, lost);
    }

    public void watch(RateLimits limits) {
        var name = "gateway_rate_limited";
        var description = "Requests refused with 429 by a rate limit";
        meters(Part.GATEWAY, "by", "address").count(name, description, limits, RateLimits::refusedByAddress);
        meters(Part.GATEWAY, "by", "account").count(name, description, limits, RateLimits::refusedByAccount);
    }

    /// Shows what a cache does as part of the registry `/caches`. To be called before the first scrape.
    public void watch(CacheMeter cache) {
        watched.add(cache);
        var meters = meters(Part.CACHES, "cache", cache.name());
        meters.gauge("cache_entries", "Values in a cache", cache, CacheMeter::entries);
        meters.count("cache_hits", "Values found in a cache", cache, CacheMeter::hits);
        meters.count(
                "cache_misses",
                "Values that were not in a cache and had to be made or read",
                cache,
                CacheMeter::misses);
        meters.count("cache_evictions", "Values removed as too many or too old", cache, CacheMeter::evictions);
    }

    private Meters meters(Part part, String... tags) {
        return new Meters(of(part), Tags.of(tags));
    }

    /// Registers meters of values that something else counts.
    private record Meters(MeterRegistry registry, Tags tags) {
        <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
            Gauge.builder(name, source, value)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        <T> void count(String name, String description, T source, ToDoubleFunction<T> count) {
            FunctionCounter.builder(name, source, count)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }

    /// What [org.restheart.core.service.MetricsService] serves.
    public List<MetricsRegistry> registries() {
        var all = new ArrayList<MetricsRegistry>();
        requests.ifPresent(metrics -> all.addAll(metrics.registries()));
        all.addAll(parts.values());
        return all;
    }

    /// All registries in one text; no family is in it twice.
    public String scrape(ExpositionFormat format) {
        var text = new StringBuilder();
        requests.ifPresent(metrics -> text.append(metrics.scrape(format)));
        parts.values().forEach(registry -> text.append(registry.scrape(format)));
        if (format == ExpositionFormat.OPEN_METRICS) {
            text.append(ExpositionFormat.END);
        }
        return text.toString();
    }

    @Override
    public void close() {
        requests.ifPresent(RequestMetrics::close);
        parts.values().forEach(MeteredRegistry::close);
    }

    /// Measures requests for files, of proxies, of probes, and streams, which are not those of the API. Thread-safe.
    private static final class OtherTraffic implements Observer {
        private final MeterRegistry meters;
        private final Map<Labels, Timer> timers = new ConcurrentHashMap<>();

        private record Labels(Traffic kind, String method, int status) {}

        OtherTraffic(MeterRegistry meters) {
            this.meters = meters;
        }

        @Override
        public void completed(Observation observation) {
            observation
                    .request()
                    .attribute(Traffic.KEY)
                    .ifPresent(kind -> timers.computeIfAbsent(
                                    new Labels(kind, observation.method(), observation.status()), this::timer)
                            .record(observation.nanos(), TimeUnit.NANOSECONDS));
        }

        private Timer timer(Labels labels) {
            return Timer.builder("gateway_other_requests_seconds")
                    .description("Duration of requests for files, of proxies and probes, and of streams")
                    .tags(
                            "kind",
                            labels.kind.label(),
                            "method",
                            labels.method,
                            "status",
                            Integer.toString(labels.status))
                    .register(meters);
        }
    }

    /// Counts what each account uses. Thread-safe.
    private static final class AccountUsage implements Observer {
        private static final String OTHERS = "_other";
        private static final String ANONYMOUS = "_anonymous";

        private final MeterRegistry meters;
        private final int most;
        private final Map<String, Usage> usages = new ConcurrentHashMap<>();

        private record Usage(Timer requests, Counter bytes) {}

        /// @param most accounts that are counted by themselves; further ones are counted together
        AccountUsage(MeterRegistry meters, int most) {
            this.meters = meters;
            this.most = most;
        }

        @Override
        public void completed(Observation observation) {
            var usage = usage(observation.account().map(Account::name).orElse(ANONYMOUS));
            usage.requests.record(observation.nanos(), TimeUnit.NANOSECONDS);
            usage.bytes.increment((double) observation.bytes());
        }

        private Usage usage(String account) {
            var known = usages.get(account);
            return known != null
                    ? known
                    : usages.computeIfAbsent(usages.size() < most ? account : OTHERS, this::measured);
        }

        private Usage measured(String account) {
            return new Usage(
                    Timer.builder("gateway_account_requests_seconds")
                            .description("Requests of an account, and their duration")
                            .tag("account", account)
                            .register(meters),
                    Counter.builder("gateway_account_response_bytes")
                            .description("Content sent to an account")
                            .tag("account", account)
                            .register(meters));
        }
    }

    /// A page of meters that parts of the gateway register with Micrometer. Thread-safe.
    private static final class MeteredRegistry implements MetricsRegistry, AutoCloseable {
        private final String path;
        private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        MeteredRegistry(String path) {
            this.path = path;
        }

        PrometheusMeterRegistry meters() {
            return meters;
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public String scrape(ExpositionFormat format) {
            var text = meters.scrape(format.contentType());
            return text.endsWith(ExpositionFormat.END)
                    ? text.substring(0, text.length() - ExpositionFormat.END.length())
                    : text;
        }

        @Override
        public void close() {
            meters.close();
        }
    }

    /// Meters of the process and its JVM, read when they are asked for. Thread-safe.
    private record ProcessMeters(PrometheusMeterRegistry registry) {
        private static final Path STATUS = Path.of("/proc/self/status");
        private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

        /// Under the names of earlier versions.
        void registerJvm() {
            usage("jvm_mem_heap", "heap", MEMORY::getHeapMemoryUsage);
            ratio("jvm_mem_heap", "heap", MEMORY::getHeapMemoryUsage);
            usage("jvm_mem_non_heap", "non-heap memory", MEMORY::getNonHeapMemoryUsage);
            ratio("jvm_mem_non_heap", "non-heap memory", MEMORY::getNonHeapMemoryUsage);
            usage("jvm_mem_total", "memory", () -> sum(MEMORY.getHeapMemoryUsage(), MEMORY.getNonHeapMemoryUsage()));
            for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
                var name = "jvm_mem_pools_" + identifier(pool.getName());
                usage(name, "pool " + pool.getName(), pool::getUsage);
                ratio(name, "pool " + pool.getName(), pool::getUsage);
                if (pool.getCollectionUsage() != null) {
                    var help = "used pool " + pool.getName() + " after the last collection in bytes";
                    gauge(
                            name + "_used_after_gc",
                            help,
                            () -> pool.getCollectionUsage().getUsed());
                }
            }
            for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                var name = "jvm_garbage_collector_" + identifier(collector.getName());
                gauge(name + "_count", "collections by " + collector.getName(), collector::getCollectionCount);
                gauge(
                        name + "_time",
                        "time of collections by " + collector.getName() + " in milliseconds",
                        collector::getCollectionTime);
            }
        }

        private static String identifier(String name) {
            return name.replaceAll("[^A-Za-z0-9_:]", "_");
        }

        private static MemoryUsage sum(MemoryUsage a, MemoryUsage b) {
            long max = a.getMax() < 0 || b.getMax() < 0 ? -1 : a.getMax() + b.getMax();
            return new MemoryUsage(
                    Math.max(0, a.getInit()) + Math.max(0, b.getInit()),
                    a.getUsed() + b.getUsed(),
                    a.getCommitted() + b.getCommitted(),
                    max);
        }

        private void usage(String name, String what, Supplier<MemoryUsage> usage) {
            gauge(
                    name + "_used",
                    "used " + what + " in bytes",
                    () -> usage.get().getUsed());
            gauge(
                    name + "_committed",
                    "committed " + what + " in bytes",
                    () -> usage.get().getCommitted());
            gauge(
                    name + "_max",
                    "maximum " + what + " in bytes, -1 if there is none",
                    () -> usage.get().getMax());
            gauge(
                    name + "_init",
                    "initial " + what + " in bytes",
                    () -> usage.get().getInit());
        }

        /// The used part of the maximum, or of the committed memory if there is no maximum.
        private void ratio(String name, String what, Supplier<MemoryUsage> usage) {
            gauge(name + "_usage", "used " + what + " as a share of its maximum", () -> {
                var now = usage.get();
                long whole = now.getMax() < 0 ? now.getCommitted() : now.getMax();
                return whole == 0 ? 0 : (double) now.getUsed() / whole;
            });
        }

        private void gauge(String name, String help, Supplier<Number> value, String... tags) {
            Gauge.builder(name, value).description(help).tags(tags).register(registry);
        }

        /// Under the names that Prometheus clients of all languages use, and the build.
        void registerProcess(String version, String buildTime) {
            Info.builder()
                    .name("restheart_build_info")
                    .help("The build that runs: 1")
                    .labelNames("version", "build_time", "java_version")
                    .register(registry.getPrometheusRegistry())
                    .addLabelValues(version, buildTime, Runtime.version().toString());
            gauge(
                    "process_start_time_seconds",
                    "When the process started, in seconds since 1970",
                    () -> ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3);
            if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                ToDoubleFunction<UnixOperatingSystemMXBean> seconds = each -> each.getProcessCpuTime() / 1e9;
                FunctionCounter.builder("process_cpu_seconds", system, seconds)
                        .description("CPU time used, in seconds")
                        .register(registry);
                gauge("process_open_fds", "Open file descriptors", system::getOpenFileDescriptorCount);
                gauge("process_max_fds", "The bound of open file descriptors", system::getMaxFileDescriptorCount);
            }
            gauge(
                    "process_cpus",
                    "CPUs that the process may use",
                    () -> Runtime.getRuntime().availableProcessors());
            if (Files.isReadable(STATUS)) { // Linux
                gauge("process_resident_memory_bytes", "Resident memory", () -> status("VmRSS:"));
                gauge("process_virtual_memory_bytes", "Virtual memory", () -> status("VmSize:"));
            }
            areas("jvm_memory_used_bytes", "Used memory of the JVM", MemoryUsage::getUsed);
            areas("jvm_memory_committed_bytes", "Committed", MemoryUsage::getCommitted);
            areas("jvm_memory_max_bytes", "The bound, -1 without one", MemoryUsage::getMax);
            for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                gauge(
                        "jvm_buffer_pool_used_bytes",
                        "Buffers outside the heap",
                        pool::getMemoryUsed,
                        "pool",
                        pool.getName());
            }
            for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                FunctionTimer.builder(
                                "jvm_gc_collection",
                                collector,
                                GarbageCollectorMXBean::getCollectionCount,
                                GarbageCollectorMXBean::getCollectionTime,
                                TimeUnit.MILLISECONDS)
                        .description("Collections of garbage and their time")
                        .tag("gc", collector.getName())
                        .register(registry);
            }
            gauge("jvm_threads_current", "Platform threads", ManagementFactory.getThreadMXBean()::getThreadCount);
        }

        private void areas(String name, String help, ToLongFunction<MemoryUsage> part) {
            gauge(name, help, () -> part.applyAsLong(MEMORY.getHeapMemoryUsage()), "area", "heap");
            gauge(name, help, () -> part.applyAsLong(MEMORY.getNonHeapMemoryUsage()), "area", "nonheap");
        }

        /// The bytes in a line such as `VmRSS:  123 kB`; not a number if there is none.
        private static double status(String name) {
            try (var lines = Files.lines(STATUS)) {
                return lines.filter(line -> line.startsWith(name))
                        .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024.0)
                        .findFirst()
                        .orElse(Double.NaN);
            } catch (IOException _) {
                return Double.NaN;
            }
        }
    }

    /// One page of metrics. Thread-safe.
    public interface MetricsRegistry {
        /// What comes after the path of the metrics service; begins with `/`.
        String path();

        /// The families of this page, without what marks the end of a text in the format.
        String scrape(ExpositionFormat format);
    }

    /// A text format in which metrics are scraped.
    public enum ExpositionFormat {
        /// The Prometheus text format, version 0.0.4.
        PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
        /// OpenMetrics 1.0, the only one with exemplars. Its end has to be marked by [#END].
        OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

        static final String END = "# EOF\n";

        private final String contentType;

        ExpositionFormat(String contentType) {
            this.contentType = contentType;
        }

        public String contentType() {
            return contentType;
        }

        /// The header lines of a family.
        ///
        /// @param name of its samples, such as `process_cpu_seconds_total`
        /// @param type as the Prometheus text format calls it
        String family(String name, String help, String type) {
            var family = name;
            var called = type;
            if (this == OPEN_METRICS) {
                called = type.equals("untyped") ? "unknown" : type;
                family = type.equals("counter") ? name.replaceFirst("_total$", "") : name;
            }
            return "# HELP " + family + " " + help + "\n# TYPE " + family + " " + called + "\n";
        }

        /// What ends a list of labels. Prometheus accepts a comma after the last label, on which clients
        /// of the text format may rely; OpenMetrics has none there.
        String closed(String labels) {
            return this == OPEN_METRICS && labels.endsWith(",") ? labels.substring(0, labels.length() - 1) : labels;
        }

        /// The value of a label, fit for double quotes.
        static String escaped(String value) {
            return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        }
    }
}
