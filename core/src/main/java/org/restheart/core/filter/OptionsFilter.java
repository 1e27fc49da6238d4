package org.restheart.core.filter;

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

    OptionsFilter(Service service, StandingHeaders standing) {
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
                        cors.allowHeaders()));
    }
}
