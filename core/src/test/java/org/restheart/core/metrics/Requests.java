package org.restheart.core.metrics;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.restheart.core.observation.Observation;
import org.restheart.http.Attributes;
import org.restheart.http.Body;
import org.restheart.http.Caller;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;

/// Requests that are over, without a server.
final class Requests {
    private Requests() {}

    static Observation observed(Method method, String path, int status, Duration took) {
        var anybody = new InetSocketAddress("127.0.0.1", 1);
        var request = new Request(
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
        return new Observation(request, status, Fields.NONE, 0, took.toNanos(), Optional.empty());
    }
}
