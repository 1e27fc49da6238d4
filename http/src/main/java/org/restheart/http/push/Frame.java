package org.restheart.http.push;

import java.nio.ByteBuffer;

/// One message as it goes over the wire; shared by all who receive it.
///
/// @param bytes read through a duplicate
/// @param since when what it tells happened, in milliseconds since 1970; 0 if that is not known
public record Frame(ByteBuffer bytes, long since) {
    int length() {
        return bytes.remaining();
    }
}
