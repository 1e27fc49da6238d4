package org.restheart.core.observation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.restheart.core.config.LoggingConfig;
import org.restheart.core.logging.LogSetup;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.trace.TraceSpan;
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
    private final boolean fields;
    private final LogExclusions exclusions;
    private final LogQueue queue = new LogQueue(LOG, "request-log");

    private RequestLog(LoggingConfig config, Set<String> secretHeaders) {
        this.secretHeaders = secretHeaders;
        this.tracingHeaders = config.tracingHeaders();
        this.dump = config.requestsLog() == LoggingConfig.RequestsLog.DUMP;
        this.colours = LogSetup.showsColours(config);
        this.fields = config.format() == LoggingConfig.Format.JSON;
        this.exclusions = new LogExclusions(config.excludePatterns(), config.excludeInterval(), System::nanoTime);
    }

    /// To be closed, so that the last lines are written.
    ///
    /// @param secretHeaders names, in lower case, of the headers with credentials that the configuration adds
    public static RequestLog open(LoggingConfig config, Set<String> secretHeaders) {
        return new RequestLog(config, secretHeaders);
    }

    @Override
    public void completed(Observation observation) {
        if (LOG.isInfoEnabled()
                && !exclusions.excludes(observation.request().path().decoded())) {
            var traces = traces(observation.request());
            queue.add(new LogQueue.Line(
                    head(traces), text(observation), traces, fields ? RequestFields.of(observation) : Map.of()));
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

    static String method(Observation observation) {
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

    static String peer(Request request) {
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

    @Override
    public void close() {
        queue.close();
    }
}
