package org.restheart.testkit;

import org.restheart.http.Method;
import org.restheart.http.Request;

/// Requests without a server.
public final class TestRequests {
    private TestRequests() {}

    /// An anonymous request without headers and content, on a thread that may block.
    ///
    /// @param target path and query, encoded
    public static Request request(Method method, String target) {
        return Request.of(method, target);
    }

    /// The same request as the server begins it on an I/O thread.
    public static Request onIoThread(Request request) {
        return new Request(
                request.id(),
                request.method(),
                request.path(),
                request.query(),
                request.headers(),
                request.body(),
                request.connection(),
                request.caller(),
                request.attributes(),
                request.lease(),
                false);
    }
}
