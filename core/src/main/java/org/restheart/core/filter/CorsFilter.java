package org.restheart.core.filter;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;
import org.restheart.security.guard.OriginPattern;

/// Lets scripts read every response of a service, errors included: those of any origin, or of the listed ones
/// only (Fetch standard, 3.2).
///
/// The origin is echoed, since browsers refuse `*` together with credentials.
final class CorsFilter implements Filter {
    private static final String ORIGIN = "Access-Control-Allow-Origin";

    /// Headers that earlier versions did not have are added to the exposed ones when they are sent; other lists are
    /// unchanged.
    private static final List<String> SINCE_THEN = List.of("Link", "X-Coalesced", "Retry-After", "Warning");

    private final Service service;
    private final List<OriginPattern> origins;

    /// @param origins empty for all
    CorsFilter(Service service, List<OriginPattern> origins) {
        this.service = service;
        this.origins = origins;
    }

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(response -> response.headers().has(ORIGIN) ? response : add(request, response));
    }

    private Ready add(Request request, Ready response) {
        var origin = request.headers().first("Origin");
        var told = origin.isPresent() ? response.withAlso("Vary", "Origin") : response;
        if (!isAllowed(origin)) {
            return told;
        }
        return told.with(Fields.of(
                ORIGIN,
                origin.orElse("*"),
                "Access-Control-Allow-Credentials",
                "true",
                "Access-Control-Expose-Headers",
                exposed(request, response)));
    }

    private String exposed(Request request, Ready response) {
        return Stream.concat(
                        Stream.of(service.cors(request).exposeHeaders()).filter(names -> !names.isEmpty()),
                        SINCE_THEN.stream().filter(response.headers()::has))
                .collect(Collectors.joining(", "));
    }

    private boolean isAllowed(Optional<String> origin) {
        return origins.isEmpty()
                || origin.filter(sent -> origins.stream().anyMatch(known -> known.matchesOrigin(sent)))
                        .isPresent();
    }
}
