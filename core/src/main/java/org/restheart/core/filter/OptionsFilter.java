package org.restheart.core.filter;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// Answers `OPTIONS` for every service: `200`, without credentials, whether the resource exists or not.
final class OptionsFilter implements Filter {
    private final Service service;
    private final StandingHeaders standing;
    private final List<String> further;

    /// @param further headers that pages may send, besides those that the service names; listed in responses
    OptionsFilter(Service service, StandingHeaders standing, List<String> further) {
        this.further = List.copyOf(further);
        this.service = service;
        this.standing = standing;
    }

    @Override
    public Response filter(Request request, Handler next) {
        return request.method() == Method.OPTIONS ? standing.add(answer(request)) : next.handle(request);
    }

    private Response.Ready answer(Request request) {
        var cors = service.cors(request);
        return Response.status(200)
                .with(Fields.of(
                        "Access-Control-Allow-Methods",
                        cors.allowMethods(),
                        "Access-Control-Allow-Headers",
                        allowed(request, cors.allowHeaders())));
    }

    private String allowed(Request request, String named) {
        var asked = request.headers().all("Access-Control-Request-Headers").stream()
                .flatMap(line -> Stream.of(line.split(",", -1)))
                .map(String::strip)
                .toList();
        return Stream.concat(
                        Stream.of(named).filter(names -> !names.isEmpty()),
                        further.stream().filter(header -> asked.stream().anyMatch(header::equalsIgnoreCase)))
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
