package org.restheart.core.service;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.metrics.Metrics.ExpositionFormat;
import org.restheart.core.metrics.Metrics.MetricsRegistry;
import org.restheart.http.Accepted;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;

/// `GET /metrics`: all metrics in one scrape, or the paths of the registries for clients that accept nothing but JSON;
/// `GET /metrics{path}`: one registry as Prometheus text.
public final class MetricsService implements Service {
    private final int depth;
    private final int missingStatus;
    private final Metrics metrics;
    private final Map<List<String>, MetricsRegistry> registries = new LinkedHashMap<>();

    public MetricsService(String uri, int missingStatus, Metrics metrics) {
        this.depth = RequestPath.parse(uri).segments().size();
        this.missingStatus = missingStatus;
        this.metrics = metrics;
        metrics.registries()
                .forEach(registry ->
                        this.registries.put(RequestPath.parse(registry.path()).segments(), registry));
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireRead();
        var path = request.path().segments();
        var asked = path.subList(depth, path.size());
        if (asked.isEmpty()) {
            var format = accepted(request);
            return format.map(all -> text(request, all, metrics.scrape(all)))
                    .orElseGet(this::list)
                    .with("Vary", "Accept");
        }
        var registry = registries.get(asked);
        if (registry != null) {
            return text(request, ExpositionFormat.PROMETHEUS, registry.scrape(ExpositionFormat.PROMETHEUS));
        }
        if (missingStatus == 200) {
            return Response.status(200);
        }
        throw Problem.helpful(
                        ProblemCode.NOT_FOUND,
                        "there is no registry /" + String.join("/", asked) + "; there are "
                                + registries.values().stream()
                                        .map(MetricsRegistry::path)
                                        .collect(Collectors.joining(", ")))
                .raise();
    }

    /// The format of a scrape of everything; none for the list in JSON, which is only for clients that accept no text.
    private static Optional<ExpositionFormat> accepted(Request request) {
        var accepted = Accepted.of(request.headers());
        double openMetrics = accepted.named("application/openmetrics-text");
        double text = accepted.weight("text/plain");
        if (openMetrics > 0 && openMetrics >= accepted.named("text/plain")) {
            return Optional.of(ExpositionFormat.OPEN_METRICS);
        }
        return text == 0 && accepted.weight("application/json") > 0
                ? Optional.empty()
                : Optional.of(ExpositionFormat.PROMETHEUS);
    }

    private static Ready text(Request request, ExpositionFormat format, String text) {
        return Response.status(200)
                .with(format.contentType(), Content.Bytes.of(text.getBytes(StandardCharsets.UTF_8), request.lease()));
    }

    private Ready list() {
        var paths = new BsonArray();
        registries.values().forEach(registry -> paths.add(new BsonString(registry.path())));
        return Response.json(200, JsonEncoder.of(JsonMode.DEFAULT).encodeToString(paths));
    }
}
