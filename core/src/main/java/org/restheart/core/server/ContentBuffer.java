package org.restheart.core.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/// Content that is received into memory as far as somebody asks for it, and counted. Confined to one request.
final class ContentBuffer {
    private static final int FIRST_PIECE = 16 * 1024;

    private final InputStream content;
    private final BodyLimits limits;
    private final BodyLimits.Counter counter;
    private final long expected;
    private byte[] bytes = new byte[0];
    private int length;
    private long counted;
    private boolean isBegun;
    private boolean isComplete;

    /// @param expected bytes; negative if their number is unknown
    /// @param counted how many of the bytes are counted already
    ContentBuffer(InputStream content, long expected, long counted, BodyLimits limits, BodyLimits.Counter counter) {
        this.content = content;
        this.expected = expected;
        this.counted = counted;
        this.limits = limits;
        this.counter = counter;
    }

    /// Whether there are more bytes than that. Receives no more, but for the rest of the last piece.
    boolean isLongerThan(long most) {
        receive(most);
        return length > most;
    }

    /// All bytes. What their values take as objects is counted, too.
    byte[] all() {
        receive(Long.MAX_VALUE);
        if (bytes.length > length) {
            bytes = Arrays.copyOf(bytes, length);
        }
        limits.requireRoom(counter.addValues(bytes));
        return bytes;
    }

    private void receive(long most) {
        if (!isBegun) {
            limits.requireRoom(counter.countForCaller());
            isBegun = true;
        }
        count();
        while (!isComplete && length <= most) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, larger());
            }
            int n = read();
            isComplete = n < 0;
            length += Math.max(0, n);
            count();
        }
    }

    private void count() {
        if (length > limits.perRequest()) {
            throw limits.contentTooLarge().raise();
        }
        if (length > counted) {
            limits.requireRoom(counter.add(length - counted));
            counted = length;
        }
    }

    private int read() {
        try {
            return content.read(bytes, length, bytes.length - length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Twice as much, but at most one byte beyond the limit, which detects content that is too large.
    private int larger() {
        if (length == 0) {
            return (int) Math.min(FIRST_PIECE, expected < 0 ? FIRST_PIECE : Math.max(1, expected));
        }
        long most = expected < 0 ? limits.perRequest() : expected;
        return (int) Math.max(length + 1L, Math.min(2L * length, most + 1));
    }

    /// The bytes from the beginning, which are received while they are read.
    InputStream stream() {
        return new Piecewise();
    }

    private final class Piecewise extends InputStream {
        private int position;

        @Override
        public int read() {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int wanted) {
            if (wanted == 0) {
                return 0;
            }
            if (!isLongerThan(position)) {
                return -1;
            }
            int n = Math.min(wanted, length - position);
            System.arraycopy(bytes, position, to, offset, n);
            position += n;
            return n;
        }
    }
}
