package org.restheart.core.service;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.core.metrics.MetricsRegistry;
import org.restheart.core.metrics.PrometheusText;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `GET /metrics`: the paths of the registries; `GET /metrics{path}`: one of them as Prometheus text.
public final class MetricsService implements Service {
    private final int depth;
    private final int missingStatus;
    private final Map<List<String>, MetricsRegistry> registries = new LinkedHashMap<>();

    /// @param uri where this service is bound
    /// @param missingStatus what a registry that does not exist is answered with
    public MetricsService(String uri, int missingStatus, List<MetricsRegistry> registries) {
        this.depth = RequestPath.parse(uri).segments().size();
        this.missingStatus = missingStatus;
        registries.forEach(registry ->
                this.registries.put(RequestPath.parse(registry.path()).segments(), registry));
    }

    @Override
    public String name() {
        return "metrics";
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        return switch (request.method()) {
            case GET -> answer(request.path().segments());
            case HEAD, POST, PUT, PATCH, DELETE, OPTIONS ->
                throw Problem.bare(ProblemCode.METHOD_NOT_ALLOWED).raise();
        };
    }

    private Response answer(List<String> path) {
        var asked = path.subList(depth, path.size());
        if (asked.isEmpty()) {
            return list();
        }
        var registry = registries.get(asked);
        return registry == null
                ? Response.status(missingStatus)
                : Response.status(200)
                        .with(
                                PrometheusText.CONTENT_TYPE,
                                Content.Bytes.of(registry.scrape().getBytes(StandardCharsets.UTF_8)));
    }

    private Response list() {
        var paths = new BsonArray();
        registries.values().forEach(registry -> paths.add(new BsonString(registry.path())));
        return Response.json(200, JsonEncoder.of(JsonMode.DEFAULT).encodeToString(paths));
    }
}
