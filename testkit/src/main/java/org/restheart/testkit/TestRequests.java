package org.restheart.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.restheart.http.Body;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.attribute.Attributes;

/// Requests without a server.
public final class TestRequests {
    private TestRequests() {}

    /// An anonymous request without headers and content, on a thread that may block.
    ///
    /// @param target path and query, encoded
    public static Request request(Method method, String target) {
        int mark = target.indexOf('?');
        return new Request(
                "test",
                method,
                RequestPath.parse(mark < 0 ? target : target.substring(0, mark)),
                Query.parse(mark < 0 ? "" : target.substring(mark + 1), 1_000),
                Fields.NONE,
                Body.EMPTY,
                new Connection(
                        "http",
                        "HTTP/1.1",
                        "localhost:8080",
                        new InetSocketAddress(InetAddress.ofLiteral("10.1.2.3"), 5555),
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 8080)),
                Caller.ANONYMOUS,
                Attributes.NONE,
                Lease.CONSTANT,
                true);
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
