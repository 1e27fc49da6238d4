package org.restheart.core.filter;

import java.util.List;
import org.restheart.core.config.SecurityGuards.Cors;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;

/// Lets scripts read every response of a service, errors included (Fetch standard, 3.2): those of the listed
/// origins, with the credentials that a browser keeps for this server; if none are listed, those of any origin,
/// without.
///
/// A listed origin is echoed, since browsers refuse `*` together with credentials.
record CorsFilter(Service service, Cors policy) implements Filter {
    private static final String ORIGIN = "Access-Control-Allow-Origin";

    /// Headers that earlier versions did not have are added to the exposed ones when they are sent; other lists are
    /// unchanged.
    private static final List<String> EXPOSED_WHEN_SENT =
            List.of("Link", "X-Coalesced", "Retry-After", "Warning", "X-Total-Count", "Preference-Applied");

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(response -> response.headers().has(ORIGIN) ? response : add(request, response));
    }

    private Ready add(Request request, Ready response) {
        var origin = request.headers().first("Origin");
        boolean varies =
                origin.isPresent() || policy.echo() || !policy.origins().isEmpty();
        var varying = varies ? response.withAlso("Vary", "Origin") : response;
        boolean trusted = origin.isEmpty() || isTrusted(origin.get()); // without an origin no browser checks
        if (!trusted && !policy.origins().isEmpty()) {
            return varying;
        }
        var open = varying.with(Fields.of(
                ORIGIN,
                trusted ? origin.orElse("*") : "*",
                "Access-Control-Expose-Headers",
                exposed(request, response)));
        return trusted ? open.with("Access-Control-Allow-Credentials", "true") : open;
    }

    private String exposed(Request request, Ready response) {
        var names = service.cors(request).exposeHeaders();
        for (var name : EXPOSED_WHEN_SENT) {
            if (response.headers().has(name)) {
                names = names.isEmpty() ? name : names + ", " + name;
            }
        }
        return names;
    }

    private boolean isTrusted(String origin) {
        return policy.echo() || policy.origins().stream().anyMatch(known -> known.matchesOrigin(origin));
    }
}
