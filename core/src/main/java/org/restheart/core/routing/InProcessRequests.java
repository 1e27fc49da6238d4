package org.restheart.core.routing;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.RequestKind;

/// Runs requests of services on the routes of other services, without a socket, and determines which requests would
/// be allowed. Thread-safe.
public final class InProcessRequests implements JudgedRequests, KindPermissions {
    /// Bounds nested requests, such as those of a service that calls itself.
    private static final int MAX_DEPTH = 3;

    private static final Key<Integer> DEPTH = Key.named("depth");

    private volatile @Nullable Connected connected;

    private record Connected(Router routes, Function<Binding, KindPermissions> permissions) {}

    /// Called once, when all services are bound, since some of them refer to this object.
    ///
    /// @param permissions what the security filter of a binding allows
    public void connect(Router routes, Function<Binding, KindPermissions> permissions) {
        connected = new Connected(routes, permissions);
    }

    private Connected connected() {
        var found = connected;
        if (found == null) {
            throw Problem.of(ProblemCode.OVERLOADED, "the server is starting")
                    .with("Retry-After", "1")
                    .raise();
        }
        return found;
    }

    @Override
    public Permitted ask(Request asking, RequestKind kind) {
        var example = JudgedRequest.of(kind.method(), kind.example(), Query.NONE, kind.via());
        return connected()
                .routes()
                .find(example.path())
                .map(route -> connected()
                        .permissions()
                        .apply(route.binding())
                        .ask(JudgedRequests.inside(asking, example), kind))
                .orElseGet(() -> Permitted.by(List.of()));
    }

    @Override
    public Response make(Request outer, JudgedRequest inner) {
        var routes = connected().routes();
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
