package org.restheart.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.restheart.http.access.Caller;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;

/// A request. Immutable: steps of the pipeline pass on changed copies.
///
/// @param id identifies the request in logs
/// @param method the method; for a `HEAD` request of a service that does not answer `HEAD`, `GET`
/// @param body the content; it may still be arriving
/// @param caller [Caller#ANONYMOUS] until the security filter has authenticated the request
/// @param lease owns the memory that the request needs, and its response
/// @param mayBlock false on an I/O thread, which must not block
public record Request(
        String id,
        Method method,
        RequestPath path,
        Query query,
        Headers headers,
        Body body,
        Connection connection,
        Caller caller,
        Attributes attributes,
        Lease lease,
        boolean mayBlock) {

    /// A request without a server, for tests of services and plugins: anonymous, without header fields and
    /// content, on a thread that may block.
    public static Request of(Method method, String target) {
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

    /// Without what is secret in header fields and attributes.
    @Override
    public String toString() {
        return "Request[" + id + " " + method + " " + path.raw() + "]";
    }

    /// Declares that what follows may block (for MongoDB, a password hash, a lock). On an I/O thread this
    /// throws: the innermost step that is [resumed][Handler#resumed] then begins again on a virtual thread. To be
    /// called before any side effect of that step.
    public void requireThread() {
        if (!mayBlock) {
            throw StepOnThread.Needed.SIGNAL;
        }
    }

    /// Whether it is what [#requireThread()] throws, which those who catch everything pass on.
    public static boolean isThreadNeeded(Throwable thrown) {
        return thrown instanceof StepOnThread.Needed;
    }

    /// Goes on with a step that may block: at once, or on a virtual thread.
    public Response onThread(Handler step) {
        return mayBlock ? step.handle(this) : StepOnThread.begin(blocking(), step);
    }

    public <T> Optional<T> attribute(Key<T> key) {
        return attributes.get(key);
    }

    /// @throws ProblemException 405 for any other method
    public void requireMethod(Method only) {
        if (method() != only) {
            throw Problem.notAllowed(only.name()).raise();
        }
    }

    /// @throws ProblemException 405 for other methods than `GET` and `HEAD`
    public void requireRead() {
        if (method() != Method.HEAD) {
            requireMethod(Method.GET);
        }
    }

    /// @throws IllegalStateException if no earlier step has set it
    public <T> T require(Key<T> key) {
        return attributes.get(key).orElseThrow(() -> new IllegalStateException("request has no " + key));
    }

    public <T> Request with(Key<T> key, T value) {
        return new Request(
                id,
                method,
                path,
                query,
                headers,
                body,
                connection,
                caller,
                attributes.with(key, value),
                lease,
                mayBlock);
    }

    /// @param attributes in place of all the present ones
    public Request with(Attributes attributes) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Method method) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Caller caller) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Headers headers) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(RequestPath path) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Query query) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Body body) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request with(Lease lease) {
        return new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, mayBlock);
    }

    public Request blocking() {
        return mayBlock
                ? this
                : new Request(id, method, path, query, headers, body, connection, caller, attributes, lease, true);
    }
}
