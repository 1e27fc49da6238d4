package org.restheart.http.push;

import java.time.Duration;
import java.util.function.Consumer;

/// What a handler answers with when messages shall follow: where they come from, and whom to tell of the end.
///
/// @param keepAlive how often the connection shows that it is alive; zero for never
/// @param onSent called on an I/O thread when the socket has taken a message's last byte; does not wait
/// @param onGone called when the connection has ended for whatever reason, also if it was never opened; perhaps twice;
///     does not wait
public record Subscription(
        Transport transport, Backlog backlog, Duration keepAlive, Consumer<Frame> onSent, Runnable onGone) {}
