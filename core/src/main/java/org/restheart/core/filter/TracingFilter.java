package org.restheart.core.filter;

import java.util.List;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Sends the tracing headers of a request back unchanged, so that callers can match the two.
final class TracingFilter implements Filter {
    private final List<String> names;

    /// @param names the headers to echo, when present
    TracingFilter(List<String> names) {
        this.names = List.copyOf(names);
    }

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(response -> response.with(echo(request)));
    }

    private Fields echo(Request request) {
        var echoed = Fields.NONE;
        for (var name : names) {
            for (var value : request.headers().all(name)) {
                echoed = echoed.plus(name, value);
            }
        }
        return echoed;
    }
}
