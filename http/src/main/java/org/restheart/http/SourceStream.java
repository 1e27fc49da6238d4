package org.restheart.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/// Adapts a [Content.Source] to an [InputStream]. Confined to one thread.
final class SourceStream extends InputStream {
    private final Content.Source source;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private boolean ended;
    private boolean closed;

    SourceStream(Content.Source source) {
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return isThere() ? piece.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!isThere()) {
            return -1;
        }
        int read = Math.min(length, piece.remaining());
        piece.get(into, offset, read);
        return read;
    }

    private boolean isThere() throws IOException {
        if (piece.hasRemaining()) {
            return true;
        }
        if (ended || closed) {
            return false;
        }
        try {
            piece = source.next().duplicate();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
        ended = !piece.hasRemaining();
        return !ended;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            source.close();
        }
    }
}
