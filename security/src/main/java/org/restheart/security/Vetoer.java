package org.restheart.security;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Refuses requests, whoever makes them and whatever else allows them. Thread-safe.
@FunctionalInterface
public interface Vetoer {
    /// Calls [Request#requireThread()] before it waits for anything.
    ///
    /// @param account null for an anonymous request
    boolean vetoes(Request request, @Nullable Account account);
}
