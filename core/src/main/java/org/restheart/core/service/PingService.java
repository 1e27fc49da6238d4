package org.restheart.core.service;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `GET /ping`: responds while the process is alive; uses nothing else.
public final class PingService implements IoThreadService {
    private static final Cors CORS = new Cors("GET, HEAD", "Authorization, Content-Type, X-Requested-With", "");

    private final String message;
    private final boolean extended;
    private final BuildInfo build;

    /// The last answer: probes and load balancers ask again and again.
    private volatile @Nullable Known known;

    /// What an answer depends on, and its bytes.
    private record Known(String client, String host, Content content) {}

    public PingService(String message, boolean extended, BuildInfo build) {
        this.message = message;
        this.extended = extended;
        this.build = build;
    }

    @Override
    public boolean isProbe() {
        return true;
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        return switch (request.method()) {
            case GET, HEAD -> Response.status(200).with("application/json", content(request));
            case POST, PUT, PATCH, DELETE, OPTIONS ->
                throw Problem.of(ProblemCode.NOT_IMPLEMENTED).raise();
        };
    }

    private Content content(Request request) {
        var client = extended ? clientAddress(request) : "";
        var host = extended ? host(request) : "";
        var last = known;
        if (last == null || !last.client.equals(client) || !last.host.equals(host)) {
            last = new Known(client, host, encoded(client, host));
            known = last;
        }
        return last.content;
    }

    private Content encoded(String client, String host) {
        var answer = new BsonDocument("message", new BsonString(message));
        if (extended) {
            answer.append("client_ip", new BsonString(client))
                    .append("host", new BsonString(host))
                    .append("version", new BsonString(build.version()))
                    .append("build_time", new BsonString(build.time()));
        }
        var json = new Utf8Buffer(256);
        JsonEncoder.of(JsonMode.DEFAULT).encode(answer, json);
        return Content.Bytes.small(json.toByteArray());
    }

    /// The address as reported by proxies: informative only, not trustworthy.
    private static String clientAddress(Request request) {
        return request.headers()
                .first("X-Forwarded-For")
                .map(chain -> chain.split(",", 2)[0].strip())
                .orElseGet(() -> request.connection().peerAddress());
    }

    private static String host(Request request) {
        var forwarded = request.headers().all("X-Forwarded-Host");
        if (forwarded.isEmpty()) {
            return request.connection().hostAndPort();
        }
        var hosts = forwarded.getLast();
        return hosts.substring(hosts.lastIndexOf(',') + 1).strip();
    }
}
