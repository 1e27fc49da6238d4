package org.restheart.http.push;

/// Receives the messages of one WebSocket's client.
public interface Inbound {
    /// The most bytes of one message; a larger one ends the connection with close code 1009.
    int maxBytes();

    /// The most bytes of messages that have arrived, in whole or in part, and have not been handled; more end
    /// the connection with close code 1013.
    int maxWaiting();

    /// Called on the connection's I/O thread, in the order of arrival; must not block.
    ///
    /// @param message text or binary data; the receiver's own
    /// @param memory of the message, which counts until it is released
    void received(byte[] message, Memory memory);

    /// What a message takes, for its caller.
    interface Memory {
        /// Adds objects that are made of the message.
        ///
        /// @throws org.restheart.http.ProblemException 503 if the caller holds too much already
        void hold(long bytes);

        /// To be called, by any thread, when the message is not needed any more. May be called again.
        void release();
    }
}
