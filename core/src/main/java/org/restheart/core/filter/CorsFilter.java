package org.restheart.core.filter;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.SecurityGuards.Cors;
import org.restheart.core.tracing.ServerTiming;
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

    /// About the server rather than the response, so that they are listed only when they are sent.
    private static final Set<String> OF_SERVER = Set.of("X-Coalesced", ServerTiming.HEADER);

    /// Headers that pages of other origins may read. Responses to requests without an origin list those of the service
    /// and those that are sent.
    private static final List<String> EXPOSED = List.of(
            "ETag",
            "Location",
            "Link",
            "X-Total-Count",
            "Content-Range",
            "Content-Disposition",
            "Retry-After",
            "Preference-Applied",
            "Warning",
            "X-Coalesced",
            ServerTiming.HEADER);

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(response -> {
            var complete = response.status() == 405 ? withMethods(request, response) : response;
            return complete.headers().has(ORIGIN) ? complete : add(request, complete);
        });
    }

    /// A `405` names the methods of the resource (RFC 9110, 15.5.6).
    private Ready withMethods(Request request, Ready refused) {
        return refused.headers().has("Allow")
                ? refused
                : refused.with("Allow", service.cors(request).allow());
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
        boolean crossOrigin = request.headers().has("Origin");
        var ofService = service.cors(request).exposeHeaders();
        var names = ofService;
        for (var name : EXPOSED) {
            boolean isListed = crossOrigin && !OF_SERVER.contains(name);
            if ((isListed || response.headers().has(name)) && !lists(ofService, name)) {
                names = names.isEmpty() ? name : names + ", " + name;
            }
        }
        return names;
    }

    private static boolean lists(String names, String name) {
        int start = names.indexOf(name);
        int end = start + name.length();
        return start >= 0
                && (start == 0 || ", ".indexOf(names.charAt(start - 1)) >= 0)
                && (end == names.length() || ", ".indexOf(names.charAt(end)) >= 0);
    }

    private static LinkedHashSet<String> names(String list) {
        return Stream.of(list.split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private boolean isTrusted(String origin) {
        return policy.echo() || policy.origins().stream().anyMatch(known -> known.matchesOrigin(origin));
    }

    /// Answers `OPTIONS` for every service: `200`, without credentials, whether the resource exists or not.
    ///
    /// @param further headers that pages may send, besides those that the service names; listed in responses
    /// @param maxAge for how long browsers may keep the response to a preflight request, in seconds
    record OptionsFilter(Service service, StandingHeaders standing, List<String> further, int maxAge)
            implements Filter {
        private static final String ASKED = "Access-Control-Request-Headers";

        /// In responses to preflight requests.
        private static final List<String> ALLOWED =
                List.of("If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "Range", "Idempotency-Key");

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
                            allowed(request, cors.allowHeaders()),
                            "Access-Control-Max-Age",
                            Integer.toString(maxAge)));
        }

        private String allowed(Request request, String named) {
            var names = names(named);
            if (request.headers().has("Access-Control-Request-Method")
                    || request.headers().has(ASKED)) {
                names.addAll(ALLOWED);
            }
            var asked = names(String.join(",", request.headers().all(ASKED)));
            further.stream()
                    .filter(header -> asked.stream().anyMatch(header::equalsIgnoreCase))
                    .forEach(names::add);
            return String.join(", ", names);
        }
    }
}
