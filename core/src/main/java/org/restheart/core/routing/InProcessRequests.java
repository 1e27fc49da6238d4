package org.restheart.core.routing;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;

/// Sends requests of services to the routes of other services, without a socket. Thread-safe.
public final class InProcessRequests implements JudgedRequests {
    /// Requests inside requests: a service that leads back to itself is stopped.
    private static final int MAX_DEPTH = 3;

    private static final Key<Integer> DEPTH = Key.named("depth");

    private volatile @Nullable Router router;

    /// To be called once, when all services are bound: some of them hold this object.
    public void connect(Router routes) {
        router = routes;
    }

    @Override
    public Response make(Request outer, JudgedRequest inner) {
        var routes = router;
        if (routes == null) {
            throw Problem.of(ProblemCode.OVERLOADED, "the server is starting")
                    .with("Retry-After", "1")
                    .raise();
        }
        int depth = outer.attribute(DEPTH).orElse(0) + 1;
        if (depth > MAX_DEPTH) {
            throw Problem.of(ProblemCode.UNPROCESSABLE, "requests made by requests are nested too deeply")
                    .raise();
        }
        var route = routes.find(inner.path())
                .filter(found -> found.binding().service().answersJudgedRequests())
                .orElseThrow(NOT_PERMITTED::raise);
        return route.judged().handle(JudgedRequests.inside(outer, inner).with(DEPTH, depth));
    }
}
