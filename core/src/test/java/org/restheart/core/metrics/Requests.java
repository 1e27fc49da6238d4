package org.restheart.core.metrics;

import java.time.Duration;
import java.util.Optional;
import org.restheart.core.observation.Observation;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.testkit.TestRequests;

/// Requests without a server.
public final class Requests {
    private Requests() {}

    /// A completed request.
    static Observation observed(Method method, String path, int status, Duration took) {
        return new Observation(
                TestRequests.request(method, path),
                status,
                Fields.NONE,
                0,
                took.toNanos(),
                Optional.empty(),
                Optional.empty());
    }
}
