package org.restheart.core.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.restheart.http.Content;

/// Whole content as one member of gzip (RFC 1952, 2.3), by compressors that are used again: making one takes
/// longer than compressing a small document, since it allocates and clears a quarter of a megabyte outside the
/// heap. Thread-safe.
final class Gzip {
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    /// Checksum and length of what was compressed.
    private static final int TRAILER = 8;

    /// Bytes that are sent as they are, in a stored block (RFC 1951, 3.2.4): header, trailer and code tables outweigh
    /// nearly all that compressing them would gain, and it takes twice as long as answering a request does.
    private static final int STORED_AT_MOST = 256;

    private static final int IDLE_AT_MOST = 16;

    private static final BlockingQueue<Deflater> IDLE = new ArrayBlockingQueue<>(IDLE_AT_MOST);

    private Gzip() {}

    /// @param level from 1 to 9, the same for all calls
    static Content.Bytes of(Content.Bytes bytes, int level) {
        if (bytes.length() <= STORED_AT_MOST) {
            return stored(bytes);
        }
        var idle = IDLE.poll();
        var deflater = idle == null ? new Deflater(level, true) : idle;
        try {
            return member(bytes, deflater);
        } finally {
            deflater.reset();
            if (!IDLE.offer(deflater)) {
                deflater.end();
            }
        }
    }

    private static Content.Bytes member(Content.Bytes bytes, Deflater deflater) {
        var member = Arrays.copyOf(HEADER, HEADER.length + TRAILER + 32 + bytes.length() / 2);
        int length = HEADER.length;
        deflater.setInput(bytes.buffer().duplicate());
        deflater.finish();
        while (!deflater.finished()) {
            if (length + TRAILER == member.length) {
                member = Arrays.copyOf(member, 2 * member.length);
            }
            length += deflater.deflate(member, length, member.length - TRAILER - length);
        }
        trailer(bytes).get(0, member, length, TRAILER);
        return Content.Bytes.of(Arrays.copyOf(member, length + TRAILER));
    }

    private static Content.Bytes stored(Content.Bytes bytes) {
        int length = bytes.length();
        var member = ByteBuffer.allocate(HEADER.length + 5 + length + TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        member.put(HEADER).put((byte) 1).putShort((short) length).putShort((short) ~length);
        member.put(bytes.buffer().duplicate()).put(trailer(bytes));
        return new Content.Bytes(member.flip());
    }

    private static ByteBuffer trailer(Content.Bytes bytes) {
        var checksum = new CRC32();
        checksum.update(bytes.buffer().duplicate());
        return ByteBuffer.allocate(TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) checksum.getValue())
                .putInt(bytes.length())
                .flip();
    }
}
