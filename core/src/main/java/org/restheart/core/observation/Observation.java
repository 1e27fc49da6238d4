package org.restheart.core.observation;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Headers;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// A completed request: its response has been sent, or its client has disconnected. Immutable.
///
/// @param request without its content, which may be large; of a request that was refused before it was read,
///     what is known of it
/// @param method as sent; empty for a request that could not be read
/// @param nanos from the request's arrival to the end of its response
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

    private static final Pattern TRACE_PARENT =
            Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?");

    /// The id of the request's trace: that of its span, or while tracing is off as its caller says.
    public Optional<String> traceId() {
        return request.attribute(TraceSpan.KEY)
                .map(TraceSpan::traceId)
                .or(() -> request.headers()
                        .first("traceparent")
                        .map(TRACE_PARENT::matcher)
                        .filter(Matcher::matches)
                        .map(parts -> parts.group(1)));
    }

    /// Passes the account, the caller and the operation of a request from later steps of the pipeline to those before
    /// them. Confined to one request, which is handled by one thread at a time.
    public static final class Note {
        private volatile @Nullable Account account;
        private volatile @Nullable String caller;
        private volatile @Nullable NamedOperation operation;

        public void accept(Account account) {
            this.account = account;
        }

        public void accept(NamedOperation operation) {
            this.operation = operation;
        }

        public void acceptCaller(String caller) {
            this.caller = caller;
        }

        /// The caller whose use of shared resources is counted, see [org.restheart.http.access.CallerScope];
        /// empty until it is known.
        public Optional<String> caller() {
            return Optional.ofNullable(caller);
        }

        public Optional<Account> account() {
            return Optional.ofNullable(account);
        }

        public Optional<NamedOperation> operation() {
            return Optional.ofNullable(operation);
        }
    }
}
