package org.restheart.http.judged;

import org.restheart.http.Request;

/// Tells what a caller may do before it does it: access rules, asked about all requests of a kind. Thread-safe.
@FunctionalInterface
public interface KindPermissions {
    /// What is known of a request of the kind besides the kind itself (account, addresses, TLS, time) is what the
    /// asking request has.
    ///
    /// @param asking after authentication; calls [Request#requireThread()] before rules have to be read
    /// @throws org.restheart.http.ProblemException 503 when that cannot be told now
    Permitted ask(Request asking, RequestKind kind);
}
