package org.restheart.core.observation;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.LoggingConfig;
import org.restheart.core.config.LoggingConfig.Audit;
import org.restheart.core.logging.ConsoleLines;
import org.restheart.core.logging.LogSetup;
import org.restheart.core.logging.LogSetup.LogEncoders;
import org.restheart.core.observation.RequestLog.LogQueue;
import org.restheart.http.Headers;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.Service.Traffic;
import org.restheart.http.access.Account;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.text.Words;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.databind.json.JsonMapper;

/// Logs one line per completed request (or several, if configured). Thread-safe.
public final class RequestLog implements Observer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String RESET = "\u001b[0m";

    /// What lines say themselves, in any format.
    public static final Set<String> NAMES = Words.of("""
        time level logger thread message exception request method path query status elapsed elapsedMillis
        bytes contentLength clientAddress peer protocol account username roles operation trace-id
        """);

    private static final String TRACE = "trace-id";

    private final List<String> tracingHeaders;
    private final Set<String> secretHeaders;
    private final boolean colors;
    private final boolean json;

    /// What lines consist of, in this order.
    private final BiConsumer<Observation, StringBuilder> text;

    private final BiConsumer<Observation, Map<String, Object>> fields;
    private final Exclusions exclusions;
    private final Map<String, BiFunction<Request, Headers, Optional<String>>> added;
    private final LogQueue queue = new LogQueue(
            LOG,
            "request-log",
            missing -> LOG.warn("{} requests were not logged: they came faster than they could be written", missing));

    /// To be closed, so that the last lines are written.
    ///
    /// @param added fields by name, of a request and the headers of its response
    public RequestLog(
            LoggingConfig config,
            Set<String> secretHeaders,
            Map<String, BiFunction<Request, Headers, Optional<String>>> added) {
        this.added = added;
        this.secretHeaders = secretHeaders;
        this.tracingHeaders = config.tracingHeaders();
        this.colors = LogSetup.showsColors(config);
        this.json = config.format() == LoggingConfig.Format.JSON;
        this.exclusions = new Exclusions(config.excludePatterns(), config.excludeInterval(), System::nanoTime);
        BiConsumer<Observation, StringBuilder> text = this::appendUsual;
        BiConsumer<Observation, Map<String, Object>> fields = RequestLog::putQuery;
        if (!added.isEmpty()) {
            text = text.andThen(this::appendAdded);
            fields = fields.andThen(this::putAdded);
        }
        this.text = config.requestsLog() == LoggingConfig.RequestsLog.DUMP ? text.andThen(this::appendHeaders) : text;
        this.fields = fields;
    }

    @Override
    public void completed(Observation observation) {
        if (LOG.isInfoEnabled()
                && !isAnsweredProbe(observation)
                && !exclusions.excludes(observation.request().path().decoded())) {
            var traces = traces(observation.request());
            queue.add(
                    new LogQueue.Line(head(traces), text(observation), traces, json ? fields(observation) : Map.of()));
        }
    }

    /// Balancers and monitors ask every second; what they are told is worth a line only when it is bad.
    private static boolean isAnsweredProbe(Observation observation) {
        return observation.status() < 400
                && observation.request().attribute(Traffic.KEY).equals(Optional.of(Traffic.PROBE));
    }

    /// The tracing headers that are present, and the id of the trace; without both the end of the request's id.
    private Map<String, String> traces(Request request) {
        var span = request.attribute(TraceSpan.KEY);
        if (tracingHeaders.isEmpty()) {
            var id = request.id();
            return Map.of(TRACE, span.map(TraceSpan::traceId).orElse(id.substring(Math.max(0, id.length() - 4))));
        }
        var traces = new LinkedHashMap<String, String>();
        for (var name : tracingHeaders) {
            request.headers().first(name).ifPresent(value -> traces.put(name, logged(name, value)));
        }
        span.ifPresent(traced -> traces.put(TRACE, traced.traceId()));
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
        var line = new StringBuilder(200);
        text.accept(observation, line);
        return line.toString();
    }

    private void appendUsual(Observation observation, StringBuilder line) {
        var request = observation.request();
        line.append(method(observation)).append(' ');
        appendUrl(request, line);
        line.append(" from /");
        request.connection()
                .forwardedFor()
                .ifPresent(client -> line.append(client.getHostAddress()).append(" via /"));
        line.append(peer(request));
        line.append(" => status=").append(status(observation.status()));
        line.append(" elapsed=")
                .append(TimeUnit.NANOSECONDS.toMillis(observation.nanos()))
                .append("ms");
        line.append(" contentLength=").append(observation.bytes());
        observation.account().ifPresent(account -> append(account, line));
        operation(observation)
                .ifPresent(name -> line.append(" operation=").append(LogText.bounded(LogText.oneLine(name))));
    }

    private void appendAdded(Observation observation, StringBuilder line) {
        forEachAdded(
                observation,
                (name, value) ->
                        line.append(' ').append(name).append('=').append(LogText.oneLine(LogText.quoted(value))));
    }

    private void appendHeaders(Observation observation, StringBuilder line) {
        line.append(headers("request", observation.request().headers()::forEach));
        line.append(headers("response", observation.responseHeaders()::forEach));
    }

    private void forEachAdded(Observation observation, BiConsumer<String, String> action) {
        added.forEach((name, value) -> value.apply(observation.request(), observation.responseHeaders())
                .ifPresent(text -> action.accept(name, LogText.bounded(text))));
    }

    private static String method(Observation observation) {
        return observation.method().isEmpty() ? "-" : LogText.bounded(LogText.oneLine(observation.method()));
    }

    private static Optional<String> operation(Observation observation) {
        return observation.operation().map(NamedOperation::name).filter(name -> !name.isEmpty());
    }

    private static void appendUrl(Request request, StringBuilder line) {
        line.append(LogText.bounded(LogText.oneLine(request.connection().calledUrl())));
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
        if (!colors) {
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

    /// The fields of a line of JSON, as the documentation lists them.
    private Map<String, Object> fields(Observation observation) {
        var fields = fieldsWithoutQuery(observation);
        this.fields.accept(observation, fields);
        return fields;
    }

    private static void putQuery(Observation observation, Map<String, Object> fields) {
        var query = LogText.maskedQuery(observation.request().query().raw());
        if (!query.isEmpty()) {
            fields.put("query", query);
        }
    }

    private void putAdded(Observation observation, Map<String, Object> fields) {
        forEachAdded(observation, (name, value) -> fields.putIfAbsent(name, LogText.oneLine(value)));
    }

    /// The same without the query, whose filters hold values.
    private static Map<String, Object> fieldsWithoutQuery(Observation observation) {
        var request = observation.request();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("request", request.id());
        fields.put("method", method(observation));
        fields.put("path", LogText.maskedPath(request.path().raw()));
        fields.put("status", observation.status());
        fields.put("elapsedMillis", Math.floorDiv(observation.nanos(), 10_000L) / 100.0);
        fields.put("bytes", observation.bytes());
        fields.put("clientAddress", request.connection().clientAddress());
        fields.put("peer", peer(request));
        fields.put("protocol", request.connection().protocol());
        observation.account().ifPresent(account -> {
            fields.put("account", account.name());
            fields.put("roles", account.roles());
        });
        operation(observation).ifPresent(name -> fields.put("operation", LogText.bounded(name)));
        return fields;
    }

    /// Lines that are missing because they came faster than they could be written.
    public long lost() {
        return queue.lost();
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

    /// Sanitizes text of clients for the log: one line, without secrets.
    private static final class LogText {
        static final String MASK = SecretValues.MASK;
        private static final Set<String> SECRET_WORDS =
                Set.of("password", "passwd", "pwd", "token", "secret", "key", "apikey", "code");

        /// Between `access` and `Token`, `api` and `_key`.
        private static final Pattern WORD_BOUNDARY = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+");

        /// Frequent parameters, whose names need not be analyzed.
        private static final Set<String> HARMLESS =
                Words.of("page pagesize filter keys sort count np rep hint avars wm hal cache jsonMode eager");

        /// The longest path, query or header that is logged whole, in characters.
        private static final int MAX_LENGTH = 2_000;

        private LogText() {}

        static String bounded(String text) {
            return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "… (" + text.length() + ")";
        }

        /// The text with control characters and other line breaks escaped.
        static String oneLine(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (LogEncoders.isControl(text.charAt(i))) {
                    return escaped(text);
                }
            }
            return text;
        }

        private static String escaped(String text) {
            var escaped = new StringBuilder(text.length() + 16);
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                escaped.append(LogEncoders.isControl(c) ? LogEncoders.escaped(c) : String.valueOf(c));
            }
            return escaped.toString();
        }

        /// In quotes, between which no other field can begin.
        static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }

        /// A query string as sent, but without the values of parameters that are named like secrets.
        static String maskedQuery(String query) {
            if (query.isEmpty()) {
                return query;
            }
            var masked = new StringBuilder(query.length());
            for (var parameter : query.split("&", -1)) {
                int equals = parameter.indexOf('=');
                boolean named = equals > 0 && isSecret(parameter.substring(0, equals));
                boolean secret = named || SecretValues.containsKey(parameter);
                masked.append(masked.isEmpty() ? "" : "&")
                        .append(secret ? SecretValues.masked(parameter.substring(0, equals + 1)) + MASK : parameter);
            }
            return bounded(oneLine(masked.toString()));
        }

        /// Whether a parameter's name contains a word for a secret: `access_token`, `apiKey`, but not
        /// `keys`.
        private static boolean isSecret(String encodedName) {
            return !HARMLESS.contains(encodedName)
                    && WORD_BOUNDARY
                            .splitAsStream(decoded(encodedName))
                            .anyMatch(word -> SECRET_WORDS.contains(word.toLowerCase(Locale.ROOT)));
        }

        /// A path as sent, unless it contains an API key.
        static String maskedPath(String path) {
            return bounded(oneLine(SecretValues.masked(path)));
        }

        private static String decoded(String name) {
            try {
                return URLDecoder.decode(name, StandardCharsets.UTF_8);
            } catch (IllegalArgumentException _) { // a request that was refused because of it
                return name;
            }
        }

        /// A header as it may be logged: credentials are masked, also in headers of the operator's own,
        /// such as `X-Api-Key`, and in the queries of URIs, and API keys wherever they are.
        static String maskedHeader(String name, String value) {
            return SecretValues.containsKey(value)
                    ? MASK
                    : switch (name.toLowerCase(Locale.ROOT)) {
                        case "authorization",
                                "proxy-authorization",
                                "cookie",
                                "set-cookie",
                                "email",
                                "jwttokenstring" -> MASK;
                        case "referer", "location", "content-location" -> maskedUri(value);
                        default -> isSecret(name) ? MASK : bounded(oneLine(value));
                    };
        }

        private static String maskedUri(String uri) {
            int query = uri.indexOf('?');
            return query < 0
                    ? bounded(oneLine(uri))
                    : bounded(oneLine(uri.substring(0, query))) + "?" + maskedQuery(uri.substring(query + 1));
        }
    }

    /// Writes lines on its own thread, so that a slow console never blocks an I/O thread. When lines arrive
    /// faster than they can be written some are dropped and counted. Thread-safe.
    static final class LogQueue implements AutoCloseable {
        private static final int CAPACITY = 8_192;

        /// Between batches, so that a busy server wakes this thread once per batch and not once per line.
        private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        private static final Line END = new Line("", "", Map.of(), Map.of());

        private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(CAPACITY);
        private final LongAdder leftOut = new LongAdder();
        private long toldLeftOut;
        private final Logger log;
        private final LongConsumer tell;
        private final Thread writer;

        /// @param tell gets the number of lines that are missing since it was told
        LogQueue(Logger log, String name, LongConsumer tell) {
            this.log = log;
            this.tell = tell;
            this.writer = Thread.ofPlatform().name(name).daemon().start(this::write);
        }

        /// @param head what stands before the text. Apart from it, since with a character beyond Latin-1
        ///     the whole text would take twice the memory, and more time to encode
        record Line(String head, String text, Map<String, String> context, Map<String, Object> fields) {}

        /// Lines that are missing since the start.
        long lost() {
            return leftOut.sum();
        }

        void add(Line line) {
            if (!lines.offer(line)) {
                leftOut.increment();
            }
        }

        private void write() {
            var batch = new ArrayList<Line>();
            var console = ConsoleLines.insteadOf(log);
            try {
                while (true) {
                    batch.add(lines.take());
                    lines.drainTo(batch);
                    for (var line : batch) {
                        if (line.equals(END)) {
                            console.ifPresent(ConsoleLines::flush);
                            return;
                        }
                        if (console.isPresent()) {
                            console.get().add(line.head(), line.text());
                        } else {
                            write(line);
                        }
                    }
                    console.ifPresent(ConsoleLines::flush);
                    batch.clear();
                    tellWhatIsMissing();
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        private void write(Line line) {
            line.context.forEach(MDC::put);
            var event = log.atInfo();
            for (var field : line.fields.entrySet()) {
                event = event.addKeyValue(field.getKey(), field.getValue());
            }
            event.log("{}{}", line.head, line.text);
            MDC.clear();
        }

        private void tellWhatIsMissing() {
            long missing = leftOut.sum() - toldLeftOut;
            if (missing > 0) {
                toldLeftOut += missing;
                tell.accept(missing);
            }
        }

        @Override
        public void close() {
            try {
                lines.put(END);
                writer.join();
            } catch (InterruptedException _) {
                writer.interrupt();
                Thread.currentThread().interrupt();
            }
        }
    }

    /// The audit log: account, operation and outcome of each request as one line of JSON. It contains no
    /// documents and no queries, whose filters contain values of documents. Lines that come faster than
    /// they can be written are dropped, and a line says how many. Thread-safe; close it to write the last lines.
    public static final class RequestAuditLog implements Observer, AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(LogSetup.AUDIT);
        private static final JsonMapper JSON = JsonMapper.builder().build();

        /// Methods that change nothing.
        private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

        private final LogQueue queue =
                new LogQueue(LOG, "audit-log", missing -> LOG.warn("{}", line("lost", Map.of("lines", missing))));
        private final boolean reads;

        /// @param which not [Audit#NOTHING]
        public RequestAuditLog(Audit which) {
            this.reads = which == Audit.ALL;
        }

        @Override
        public void completed(Observation observation) {
            boolean refused = observation.status() == 401 || observation.status() == 403;
            boolean read = reads && !isAnsweredProbe(observation);
            if (read || refused || !READS.contains(observation.method()) || hasWritten(observation)) {
                var fields = RequestLog.fieldsWithoutQuery(observation);
                observation.traceId().ifPresent(trace -> fields.put(TRACE, trace));
                queue.add(new LogQueue.Line("", line("request", fields), Map.of(), Map.of()));
            }
        }

        /// An object as [LogEncoders] write one, which take it over as it is.
        private static String line(String event, Map<String, ?> fields) {
            var line = new LinkedHashMap<String, Object>();
            line.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
            line.put("logger", LogSetup.AUDIT);
            line.put("event", event);
            line.putAll(fields);
            return JSON.writeValueAsString(line);
        }

        public long lost() {
            return queue.lost();
        }

        /// A `GET` of an aggregation that ends in `$out` or `$merge` does.
        private static boolean hasWritten(Observation observation) {
            return observation
                    .request()
                    .attribute(DataWrite.NOTED)
                    .filter(AtomicBoolean::get)
                    .isPresent();
        }

        @Override
        public void close() {
            queue.close();
        }
    }
}
