package org.restheart.core.filter;

import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;

/// Lets scripts of any origin read every response of a service, errors included (Fetch standard, 3.2).
///
/// The origin is echoed, since browsers refuse `*` together with credentials.
final class CorsFilter implements Filter {
    private static final String ORIGIN = "Access-Control-Allow-Origin";

    private final Service service;

    CorsFilter(Service service) {
        this.service = service;
    }

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(response -> response.headers().has(ORIGIN) ? response : add(request, response));
    }

    private Ready add(Request request, Ready response) {
        return response.with(Fields.of(
                ORIGIN,
                request.headers().first("Origin").orElse("*"),
                "Access-Control-Allow-Credentials",
                "true",
                "Access-Control-Expose-Headers",
                service.cors(request).exposeHeaders()));
    }
}
