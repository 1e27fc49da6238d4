package org.restheart.core.filter;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.SecurityGuards.Cors;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
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

    /// Answers `OPTIONS` for every service: `200`, without credentials, whether the resource exists or not.
    ///
    /// @param further headers that pages may send, besides those that the service names; listed in responses
    record OptionsFilter(Service service, StandingHeaders standing, List<String> further) implements Filter {
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
}
