package org.restheart.http.push;

/// Receives the messages of one WebSocket's client.
public interface Inbound {
    /// The most bytes of one message; a larger one ends the connection with close code 1009.
    int maxBytes();

    /// Called on the connection's I/O thread, in the order of arrival; must not block.
    ///
    /// @param message text or binary data; the receiver's own
    void received(byte[] message);
}
