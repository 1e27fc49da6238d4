package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;

/// The protocol on one connection: what to send first, what to make of the bytes that arrive. Confined to the loop's
/// thread. Keeps nothing between two calls but what is incomplete.
interface Wire {

    /// How many of them the server has accepted so far.
    int accepted();

    /// Whether the server has accepted or refused them all.
    boolean settled();

    ByteBuffer opening();

    /// Consumes all that is complete; the rest stays in the buffer and comes again with more behind it.
    ///
    /// @return bytes to be sent in reply, empty for none
    /// @throws IOException when the server refuses, breaks the protocol, or says goodbye
    ByteBuffer receive(ByteBuffer in) throws IOException;

    ByteBuffer NOTHING = ByteBuffer.allocate(0);
}
