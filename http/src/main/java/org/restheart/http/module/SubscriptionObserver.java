package org.restheart.http.module;

import org.restheart.http.NamedOperation;
import org.restheart.http.Request;

/// Observes subscriptions on WebSockets, which have no request of their own, so that log and metrics contain them.
@FunctionalInterface
public interface SubscriptionObserver {
    /// Called once when a subscription has ended, or has been refused; must not block.
    ///
    /// @param request that opened the connection
    /// @param status that a request would have been answered with
    /// @param bytes of results
    /// @param nanos from the message that requests it to its end
    void ended(Request request, NamedOperation operation, int status, long bytes, long nanos);
}
