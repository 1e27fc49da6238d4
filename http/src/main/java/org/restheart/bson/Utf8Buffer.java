package org.restheart.bson;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Growable UTF-8 output. Confined to one thread.
public final class Utf8Buffer {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    public void put(byte b) {
        out.write(b);
    }

    public void ascii(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    public void text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public ByteBuffer toByteBuffer() {
        return ByteBuffer.wrap(out.toByteArray());
    }
}
