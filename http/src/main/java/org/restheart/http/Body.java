package org.restheart.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/// The content of a request, already bounded by the server's limit. Reading it twice gives the same bytes, unless it
/// is read while it arrives ([Service#streamsContent(Request)]): then it is there once.
public interface Body {
    Body EMPTY = of(new byte[0]);

    /// In bytes; [Long#MAX_VALUE] while it is unknown.
    long length();

    /// The whole content in memory. The array is the body's own: do not write to it.
    byte[] bytes();

    /// The content from its beginning; the caller closes the stream.
    default InputStream stream() throws IOException {
        return new ByteArrayInputStream(bytes());
    }

    /// False if it was too large to be received: reading it then fails.
    default boolean isHere() {
        return true;
    }

    default boolean isEmpty() {
        return length() == 0;
    }

    static Body of(byte[] content) {
        return new Body() {
            @Override
            public long length() {
                return content.length;
            }

            @Override
            public byte[] bytes() {
                return content;
            }
        };
    }
}
