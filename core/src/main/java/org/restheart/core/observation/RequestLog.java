package org.restheart.core.observation;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.LoggingConfig;
import org.restheart.core.logging.LogSetup;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs one line per completed request (or several, if configured). Thread-safe.
public final class RequestLog implements Observer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String RESET = "\u001b[0m";

    private final List<String> tracingHeaders;
    private final Set<String> secretHeaders;
    private final boolean dump;
    private final boolean colours;
    private final boolean json;
    private final Exclusions exclusions;
    private final LogQueue queue = new LogQueue(LOG, "request-log");

    /// To be closed, so that the last lines are written.
    ///
    /// @param secretHeaders names, in lower case, of the headers with credentials that the configuration adds
    public RequestLog(LoggingConfig config, Set<String> secretHeaders) {
        this.secretHeaders = secretHeaders;
        this.tracingHeaders = config.tracingHeaders();
        this.dump = config.requestsLog() == LoggingConfig.RequestsLog.DUMP;
        this.colours = LogSetup.showsColours(config);
        this.json = config.format() == LoggingConfig.Format.JSON;
        this.exclusions = new Exclusions(config.excludePatterns(), config.excludeInterval(), System::nanoTime);
    }

    @Override
    public void completed(Observation observation) {
        if (LOG.isInfoEnabled()
                && !exclusions.excludes(observation.request().path().decoded())) {
            var traces = traces(observation.request());
            queue.add(
                    new LogQueue.Line(head(traces), text(observation), traces, json ? fields(observation) : Map.of()));
        }
    }

    /// The tracing headers that are present, else the id of the trace, else the end of the request's id.
    private Map<String, String> traces(Request request) {
        if (tracingHeaders.isEmpty()) {
            var span = request.attribute(TraceSpan.KEY);
            if (span.isPresent()) {
                return Map.of("trace-id", span.get().traceId());
            }
            var id = request.id();
            return Map.of("trace-id", id.substring(Math.max(0, id.length() - 4)));
        }
        var traces = new LinkedHashMap<String, String>();
        for (var name : tracingHeaders) {
            request.headers().first(name).ifPresent(value -> traces.put(name, logged(name, value)));
        }
        return traces;
    }

    private static String head(Map<String, String> traces) {
        var head = new StringBuilder();
        var separator = "[";
        for (var trace : traces.entrySet()) {
            head.append(separator).append(trace.getKey()).append(": ").append(trace.getValue());
            separator = ", ";
        }
        return head.append(traces.isEmpty() ? "" : "] ").append("⚬ ").toString();
    }

    private String text(Observation observation) {
        var request = observation.request();
        var line = new StringBuilder(200).append(method(observation)).append(' ');
        appendUrl(request, line);
        line.append(" from /").append(peer(request));
        line.append(" => status=").append(status(observation.status()));
        line.append(" elapsed=")
                .append(TimeUnit.NANOSECONDS.toMillis(observation.nanos()))
                .append("ms");
        line.append(" contentLength=").append(observation.bytes());
        observation.account().ifPresent(account -> append(account, line));
        observation
                .operation()
                .map(NamedOperation::name)
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> line.append(" operation=").append(LogText.bounded(LogText.oneLine(name))));
        if (dump) {
            line.append(headers("request", request.headers()::forEach));
            line.append(headers("response", observation.responseHeaders()::forEach));
        }
        return line.toString();
    }

    private static String method(Observation observation) {
        return observation.method().isEmpty() ? "-" : LogText.bounded(LogText.oneLine(observation.method()));
    }

    private static void appendUrl(Request request, StringBuilder line) {
        line.append(request.connection().scheme()).append("://");
        line.append(LogText.bounded(LogText.oneLine(request.connection().hostAndPort())));
        line.append(LogText.maskedPath(request.path().raw()));
        var query = LogText.maskedQuery(request.query().raw());
        if (!query.isEmpty()) {
            line.append('?').append(query);
        }
    }

    private static String peer(Request request) {
        return request.connection().peerAddress() + ":"
                + request.connection().peer().getPort();
    }

    private String status(int status) {
        if (!colours) {
            return Integer.toString(status);
        }
        return (status < 300 || status == 304 ? GREEN : RED) + status + RESET;
    }

    private static void append(Account account, StringBuilder line) {
        line.append(" username=").append(LogText.oneLine(account.name()));
        line.append(" roles=").append(LogText.oneLine(account.roles().toString()));
    }

    private String logged(String name, String value) {
        return secretHeaders.contains(name.toLowerCase(Locale.ROOT)) ? LogText.MASK : LogText.maskedHeader(name, value);
    }

    private String headers(String title, Consumer<BiConsumer<String, String>> headers) {
        var dump = new StringBuilder();
        headers.accept((name, value) -> dump.append("\n    ")
                .append(title)
                .append(' ')
                .append(LogText.oneLine(name))
                .append(": ")
                .append(logged(name, value)));
        return dump.toString();
    }

    /// The fields of a line of JSON: `request`, `method`, `path`, `query`, `status`, `elapsedMillis`, `bytes`, `peer`,
    /// `protocol`, and of an authenticated caller `account` and `roles`.
    static Map<String, Object> fields(Observation observation) {
        var fields = fieldsWithoutQuery(observation);
        var query = LogText.maskedQuery(observation.request().query().raw());
        if (!query.isEmpty()) {
            fields.put("query", query);
        }
        return fields;
    }

    /// The same without the query, whose filters hold values.
    static Map<String, Object> fieldsWithoutQuery(Observation observation) {
        var request = observation.request();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("request", request.id());
        fields.put("method", method(observation));
        fields.put("path", LogText.maskedPath(request.path().raw()));
        fields.put("status", observation.status());
        fields.put("elapsedMillis", Math.floorDiv(observation.nanos(), 10_000L) / 100.0);
        fields.put("bytes", observation.bytes());
        fields.put("peer", peer(request));
        fields.put("protocol", request.connection().protocol());
        observation.account().ifPresent(account -> {
            fields.put("account", account.name());
            fields.put("roles", account.roles());
        });
        observation
                .operation()
                .map(NamedOperation::name)
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> fields.put("operation", LogText.bounded(name)));
        return fields;
    }

    @Override
    public void close() {
        queue.close();
    }

    /// Paths of which only a sample of requests is logged. Thread-safe.
    static final class Exclusions {
        private final List<Exclusion> exclusions;
        private final long intervalNanos;
        private final LongSupplier nanoTime;

        /// @param patterns exact paths, or with `*` for any characters
        /// @param interval of the requests that match a pattern the first is logged, then one per interval;
        ///     zero for the first only
        Exclusions(List<String> patterns, Duration interval, LongSupplier nanoTime) {
            this.exclusions = patterns.stream()
                    .map(pattern -> new Exclusion(compile(pattern), new AtomicLong(nanoTime.getAsLong())))
                    .toList();
            this.intervalNanos = interval.toNanos();
            this.nanoTime = nanoTime;
        }

        private static Pattern compile(String pattern) {
            return Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                    Pattern.DOTALL);
        }

        /// Whether to exclude a request. False for one request per interval.
        boolean excludes(String path) {
            for (var exclusion : exclusions) {
                if (exclusion.pattern.matcher(path).matches()) {
                    return !isDue(exclusion);
                }
            }
            return false;
        }

        private boolean isDue(Exclusion exclusion) {
            long now = nanoTime.getAsLong();
            long next = exclusion.next.get();
            boolean never = next == Long.MIN_VALUE;
            long following = intervalNanos == 0 ? Long.MIN_VALUE : now + intervalNanos;
            return !never && now - next >= 0 && exclusion.next.compareAndSet(next, following);
        }

        /// @param next when the next request may be logged, in nano time; `Long.MIN_VALUE` for never
        private record Exclusion(Pattern pattern, AtomicLong next) {}
    }
}
