package org.restheart.core.observation;

import java.util.Optional;
import org.restheart.http.Headers;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// A completed request: its response has been sent, or its client has disconnected. Immutable.
///
/// @param request without its content, which may be large; of a request that was refused before it was read,
///     what is known of it
/// @param method as sent; empty for a request that could not be read
/// @param status as sent
/// @param responseHeaders as the pipeline made them
/// @param bytes of content sent
/// @param nanos from the request's arrival to the end of its response
/// @param account of the caller, if authenticated
/// @param operation named in the content, if the path does not show it
public record Observation(
        Request request,
        String method,
        int status,
        Headers responseHeaders,
        long bytes,
        long nanos,
        Optional<Account> account,
        Optional<NamedOperation> operation) {

    /// An observation of a request whose method is known.
    public Observation(
            Request request,
            int status,
            Headers responseHeaders,
            long bytes,
            long nanos,
            Optional<Account> account,
            Optional<NamedOperation> operation) {
        this(request, request.method().name(), status, responseHeaders, bytes, nanos, account, operation);
    }
}
