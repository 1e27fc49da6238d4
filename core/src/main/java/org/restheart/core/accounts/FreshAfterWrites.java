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
        boolean answered = false;
        try {
            var response = next.handle(request).map(ready -> {
                stored.written(target.get());
                return ready;
            });
            answered = true;
            return response;
        } finally {
            if (!answered) {
                stored.written(target.get()); // a write that fails may still have happened
            }
        }
    }
}
