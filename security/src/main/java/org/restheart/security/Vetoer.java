package org.restheart.security;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Refuses requests of any caller, even if an authorizer allows them. Thread-safe.
@FunctionalInterface
public interface Vetoer {
    /// Calls [Request#requireThread()] before it blocks.
    ///
    /// @param account null for an anonymous request
    boolean vetoes(Request request, @Nullable Account account);
}
