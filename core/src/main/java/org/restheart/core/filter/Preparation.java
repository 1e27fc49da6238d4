package org.restheart.core.filter;

import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;

/// Lets the service prepare a request before authentication. A refusal is stored, since CORS headers and `OPTIONS` come
/// first, and thrown by [#refuse(Request, Handler)].
record Preparation(Service service) implements Filter {
    /// The refusal of a request that was found early: by the listener, or by the service's preparation.
    static final Key<RuntimeException> REFUSAL = Key.named("refusal");

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request.attribute(REFUSAL).isPresent() ? request : prepared(request));
    }

    private Request prepared(Request request) {
        try {
            return service.prepare(request);
        } catch (RuntimeException refusal) { // thrown again by refuse(), where the error filter sees it
            return request.with(REFUSAL, refusal);
        }
    }

    /// A filter that ends requests whose preparation was refused.
    static Response refuse(Request request, Handler next) {
        request.attribute(REFUSAL).ifPresent(refusal -> {
            throw refusal;
        });
        return next.handle(request);
    }
}
