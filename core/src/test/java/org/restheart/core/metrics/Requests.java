package org.restheart.core.metrics;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.restheart.core.observation.Observation;
import org.restheart.http.Body;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.attribute.Attributes;

/// Requests without a server.
public final class Requests {
    private Requests() {}

    /// An anonymous request, on a thread that may block.
    public static Request request(Method method, String path) {
        var anybody = new InetSocketAddress("127.0.0.1", 1);
        return new Request(
                "1",
                method,
                RequestPath.parse(path),
                Query.NONE,
                Fields.NONE,
                Body.EMPTY,
                new Connection("http", "HTTP/1.1", "test", anybody, anybody),
                Caller.ANONYMOUS,
                Attributes.NONE,
                true);
    }

    /// A completed request.
    static Observation observed(Method method, String path, int status, Duration took) {
        return new Observation(
                request(method, path), status, Fields.NONE, 0, took.toNanos(), Optional.empty(), Optional.empty());
    }
}
