package org.restheart.graphql;

import java.time.Duration;
import org.restheart.http.push.Backlog;

/// Limits of connections on which results of subscriptions are sent.
///
/// @param keepAlive interval of keep-alive messages on idle connections; zero for none
/// @param maxSockets most WebSockets at once
/// @param maxMessages most queued messages per connection
/// @param maxBytes most queued bytes per connection
public record PushBounds(Duration keepAlive, int maxSockets, int maxMessages, long maxBytes) {
    Backlog backlog() {
        return new Backlog(maxMessages, maxBytes);
    }
}
