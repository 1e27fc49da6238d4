package org.restheart.http.push;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// A response of messages: the queue of messages to send, and callbacks of the connection.
///
/// @param keepAlive the interval of keep-alive messages; zero for none
/// @param onSent called on an I/O thread when the socket has taken a message's last byte; must not block
/// @param onGone called when the connection has ended for any reason, also if it was never opened; may be called
///     twice; must not block
/// @param inbound receives the messages of a WebSocket's client, which are discarded without it
/// @param position the resume token up to which every event is in the backlog, for services that listen for a while
///     and resume later; empty until it is known
public record Subscription(
        Transport transport,
        Backlog backlog,
        Duration keepAlive,
        Consumer<Frame> onSent,
        Runnable onGone,
        Optional<Inbound> inbound,
        Supplier<Optional<String>> position) {

    /// To be called when the connection has ended for any reason, also if it was never opened. Further calls
    /// are allowed.
    public void end() {
        backlog.abandon();
        onGone.run();
    }

    public Subscription with(Runnable onGone) {
        return new Subscription(transport, backlog, keepAlive, onSent, onGone, inbound, position);
    }

    /// A subscription that discards messages of the client.
    public Subscription(
            Transport transport, Backlog backlog, Duration keepAlive, Consumer<Frame> onSent, Runnable onGone) {
        this(transport, backlog, keepAlive, onSent, onGone, Optional.empty(), Optional::empty);
    }
}
