package org.restheart.dataapi;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.restheart.http.Content;

/// Bounds the size of answers. A complete answer that is too large is refused; while one is streamed, the connection is
/// closed when it exceeds the bound.
final class BoundedContent implements Content.Source {
    private final Content.Source source;
    private long left;

    private BoundedContent(Content.Source source, long bytes) {
        this.source = source;
        this.left = bytes;
    }

    /// @param bytes at most
    /// @throws Refusal if it has more
    static Content of(Content content, long bytes) {
        return switch (content) {
            case Content.Bytes whole
            when whole.length() > bytes ->
                throw new Refusal(
                        400, "ReadSizeLimitExceeded", "the answer is larger than " + bytes + " bytes: ask for less");
            case Content.Streamed streamed -> streamed.through(source -> new BoundedContent(source, bytes));
            default -> content;
        };
    }

    @Override
    public ByteBuffer next() throws Exception {
        var piece = source.next();
        left -= piece.remaining();
        if (left < 0) {
            throw new IOException("the answer is larger than its limit");
        }
        return piece;
    }

    @Override
    public void close() {
        source.close();
    }
}
