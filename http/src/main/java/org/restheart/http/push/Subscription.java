package org.restheart.http.push;

import java.time.Duration;

/// What a handler answers with when messages shall follow: where they come from, and whom to tell of the end.
///
/// @param keepAlive how often the connection shows that it is alive; zero for never
/// @param onGone called when the connection has ended for whatever reason, also if it was never opened; perhaps twice;
///     does not wait
public record Subscription(Transport transport, Backlog backlog, Duration keepAlive, Runnable onGone) {}
