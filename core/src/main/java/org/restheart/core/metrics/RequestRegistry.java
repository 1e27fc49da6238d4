package org.restheart.core.metrics;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.restheart.core.observation.Observation;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.trace.TraceSpan;

/// The requests whose paths match one template, by method, status and the template's parameters. Thread-safe.
final class RequestRegistry implements MetricsRegistry {
    /// Label sets beyond that share one whose parameters are all [#OTHER]: paths are chosen by clients, so their
    /// number is bounded.
    private static final int MAX_SERIES = 1_000;

    /// Operations beyond that share [#OTHER], so that they do not use up the series of paths.
    private static final int MAX_OPERATIONS = 200;

    /// Characters of a parameter; longer ones are [#OTHER].
    private static final int MAX_LENGTH = 200;

    private static final Pattern TRACE_PARENT =
            Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?");

    private static final String OTHER = "_other";
    private static final Optional<NamedOperation> OTHER_OPERATION = Optional.of(new NamedOperation(OTHER, OTHER));

    private final PathGroup template;
    private final LongSupplier nanoTime;
    private final Map<Labels, Series> series = new ConcurrentHashMap<>();
    private final Set<NamedOperation> operations = ConcurrentHashMap.newKeySet();

    /// @param method of the known ones, else [#OTHER]
    record Labels(String method, int status, List<String> parameters, Optional<NamedOperation> operation) {}

    RequestRegistry(PathGroup template, LongSupplier nanoTime) {
        this.template = template;
        this.nanoTime = nanoTime;
    }

    void record(Observation observation) {
        var request = observation.request();
        var parameters = template.match(request.path().segments());
        if (parameters != null) {
            series(new Labels(
                            method(observation),
                            observation.status(),
                            parameters.stream()
                                    .map(text -> text.length() > MAX_LENGTH ? OTHER : text)
                                    .toList(),
                            bounded(observation.operation())))
                    .record(observation.nanos(), trace(request));
        }
    }

    /// The id of the request's trace if that is recorded, here or, as its caller says, elsewhere.
    private static Optional<String> trace(Request request) {
        var span = request.attribute(TraceSpan.KEY);
        if (span.isPresent()) {
            return span.filter(TraceSpan::isSampled).map(TraceSpan::traceId);
        }
        return request.headers()
                .first("traceparent")
                .map(TRACE_PARENT::matcher)
                .filter(Matcher::matches)
                .map(parts -> parts.group(1));
    }

    /// Clients may send any word.
    private static String method(Observation observation) {
        return Method.of(observation.method()).map(Method::name).orElse(OTHER);
    }

    private Optional<NamedOperation> bounded(Optional<NamedOperation> asked) {
        if (asked.isEmpty() || operations.contains(asked.get())) {
            return asked;
        }
        return operations.size() < MAX_OPERATIONS && operations.add(asked.get()) ? asked : OTHER_OPERATION;
    }

    private Series series(Labels labels) {
        var known = series.get(labels);
        if (known != null) {
            return known;
        }
        var bounded = series.size() < MAX_SERIES
                ? labels
                : new Labels(
                        labels.method,
                        labels.status,
                        labels.parameters.stream().map(_ -> OTHER).toList(),
                        labels.operation.flatMap(_ -> OTHER_OPERATION));
        return series.computeIfAbsent(bounded, _ -> new Series(RequestText.labels(template, bounded), nanoTime));
    }

    void tick() {
        series.values().forEach(Series::tick);
    }

    @Override
    public String path() {
        return template.text();
    }

    @Override
    public String scrape(ExpositionFormat format) {
        var text = new RequestText(format);
        addTo(text);
        return text.toString();
    }

    void addTo(RequestText text) {
        series.values().stream().sorted(Comparator.comparing(Series::labels)).forEach(text::add);
    }
}
