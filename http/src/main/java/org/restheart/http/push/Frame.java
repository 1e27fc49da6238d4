package org.restheart.http.push;

import java.nio.ByteBuffer;

/// One encoded message, shared by all receivers.
///
/// @param bytes read through a duplicate
/// @param since when the event happened, in milliseconds since 1970; 0 if unknown
public record Frame(ByteBuffer bytes, long since) {
    int length() {
        return bytes.remaining();
    }
}
