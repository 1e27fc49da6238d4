package org.restheart.core.accounts;

import org.restheart.http.DataTarget;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// A write through this server that changes accounts or permissions holds from its answer on.
record FreshAfterWrites(StoredSecurity stored) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY);
        if (request.method().isSafe() || target.isEmpty()) {
            return next.handle(request);
        }
        return next.handle(request).map(response -> {
            stored.written(target.get());
            return response;
        });
    }
}
