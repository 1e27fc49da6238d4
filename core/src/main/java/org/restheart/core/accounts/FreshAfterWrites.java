package org.restheart.core.accounts;

import java.util.function.Consumer;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;

/// Invalidates cached accounts and permissions after each write through this server that may change them, also after a
/// failed one, whose outcome is unknown.
///
/// @param written invalidates what a write to a target may have changed
record FreshAfterWrites(Consumer<DataTarget> written) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY);
        if (request.method().isSafe() || target.isEmpty()) {
            return next.handle(request);
        }
        Response response;
        try {
            response = next.handle(request);
        } catch (RuntimeException | Error failure) {
            written.accept(target.get());
            throw failure;
        }
        return response.whenDone(() -> written.accept(target.get()));
    }
}
