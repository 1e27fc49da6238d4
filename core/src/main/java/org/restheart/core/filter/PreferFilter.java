package org.restheart.core.filter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.Content;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;

/// `Prefer: return=representation` and `return=minimal` of writes (RFC 7240, 4.2). The representation is that of a
/// `GET` by the same caller, which the same rules authorize; callers who may not read the document get none.
public final class PreferFilter implements Filter {
    private static final String APPLIED = "Preference-Applied";

    private static final int MAX_PARAMETERS = 100;

    private final JudgedRequests requests;

    public PreferFilter(JudgedRequests requests) {
        this.requests = requests;
    }

    @Override
    public Response filter(Request request, Handler next) {
        if (request.method().isSafe() || !request.headers().has("Prefer")) {
            return next.handle(request);
        }
        if (prefers(request, "return=minimal")) {
            return next.handle(request).map(PreferFilter::minimal);
        }
        if (!prefers(request, "return=representation")) {
            return next.handle(request);
        }
        request.requireThread();
        var written = next.handle(request).settled();
        return written.status() == 200 || written.status() == 201 ? represented(request, written) : written;
    }

    private static boolean prefers(Request request, String preference) {
        return request.headers().all("Prefer").stream()
                .flatMap(line -> List.of(line.split("[,;]", -1)).stream())
                .anyMatch(part -> part.replace("\"", "")
                        .replace(" ", "")
                        .toLowerCase(Locale.ROOT)
                        .equals(preference));
    }

    private static Ready minimal(Ready response) {
        return response.status() == 200 || response.status() == 201
                ? response.with(Content.NONE).with(APPLIED, "return=minimal")
                : response;
    }

    private Ready represented(Request request, Ready written) {
        return reading(request, written)
                .flatMap(reading -> read(request, reading))
                .map(read -> written.with(read.content())
                        .with(
                                "Content-Type",
                                read.headers().first("Content-Type").orElse(Response.JSON))
                        .with(APPLIED, "return=representation"))
                .orElse(written);
    }

    private Optional<Ready> read(Request request, JudgedRequest reading) {
        try {
            return Optional.of(requests.make(request, reading).settled()).filter(read -> read.status() == 200);
        } catch (ProblemException _) { // it may not be read, or is gone
            return Optional.empty();
        }
    }

    /// The `GET` of the written document; empty unless exactly one document was written.
    private static Optional<JudgedRequest> reading(Request request, Ready written) {
        var kind = request.attribute(DataTarget.KEY).map(DataTarget::kind).orElse(ResourceKind.INVALID);
        if (kind == ResourceKind.DOCUMENT && request.method() != Method.DELETE) {
            return Optional.of(get(request.path(), parameters(request.query())));
        }
        return kind == ResourceKind.COLLECTION && request.method() == Method.POST
                ? written.headers().first("Location").map(location -> ofNew(request, location))
                : Optional.empty();
    }

    /// The `GET` of a created document: the path of the request and the last segment of its `Location`. The
    /// rest of the `Location` may be an address of a proxy.
    private static JudgedRequest ofNew(Request request, String location) {
        int mark = location.indexOf('?');
        var address = mark < 0 ? location : location.substring(0, mark);
        var collection = request.path().raw();
        var path = (collection.endsWith("/") ? collection : collection + "/")
                + address.substring(address.lastIndexOf('/') + 1);
        var parameters = parameters(request.query());
        parameters.remove("id_type");
        if (mark >= 0) {
            parameters.putAll(parameters(Query.parse(location.substring(mark + 1), MAX_PARAMETERS)));
        }
        return get(RequestPath.parse(path), parameters);
    }

    private static Map<String, String> parameters(Query query) {
        var parameters = new LinkedHashMap<String, String>();
        DataParameter.in(query).stream()
                .filter(DataParameter::isInherited)
                .forEach(parameter ->
                        parameter.first(query).ifPresent(value -> parameters.put(parameter.wireName(), value)));
        return parameters;
    }

    private static JudgedRequest get(RequestPath path, Map<String, String> parameters) {
        return JudgedRequest.of(Method.GET, path, Query.of(parameters), Via.REST);
    }
}
