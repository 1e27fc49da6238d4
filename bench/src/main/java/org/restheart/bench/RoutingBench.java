package org.restheart.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.routing.Router.Route;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// From a request target's text to the route that answers it, among as many routes as a gateway has.
@State(Scope.Benchmark)
public class RoutingBench {
    @Param({"/ping", "/shop/profiles/650000000000000000000001", "/shop/caf%C3%A9/a%20b"})
    public String path = "/";

    private final Router router = router();

    private record Nothing(String name) implements Service {
        @Override
        public Response handle(Request request) {
            return Response.status(200);
        }
    }

    private static Router router() {
        var routes = new ArrayList<Route>();
        for (var uri : List.of(
                "/", "/ping", "/ic", "/csv", "/roles", "/tokens", "/metrics", "/logout", "/graphql", "/_sessions")) {
            var service = new Nothing(uri);
            routes.add(new Route(Binding.prefix(service, uri, true), service, service));
        }
        return new Router(routes);
    }

    @Benchmark
    public RequestPath parse() {
        return RequestPath.parse(path);
    }

    @Benchmark
    public Optional<Route> parseAndFind() {
        return router.find(RequestPath.parse(path));
    }
}
