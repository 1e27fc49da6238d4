package org.restheart.graphql;

import java.time.Duration;
import org.restheart.http.access.CallerScope;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.PushBudget;
import org.restheart.mongo.changestream.AuthorizationWatch;

/// Limits of connections on which results of subscriptions are sent.
///
/// @param keepAlive interval of keep-alive messages on idle connections; zero for none
/// @param maxSockets most WebSockets at once; of one caller no more than are free
/// @param maxMessages most queued messages per connection
/// @param maxBytes most queued bytes per connection
/// @param budget of queued bytes, all connections together
/// @param authorizations ends connections that are no longer authorized
public record PushBounds(
        Duration keepAlive,
        int maxSockets,
        int maxMessages,
        long maxBytes,
        PushBudget budget,
        AuthorizationWatch authorizations) {
    /// For the current caller.
    Backlog backlog() {
        return new Backlog(maxMessages, maxBytes, budget, CallerScope.current());
    }
}
