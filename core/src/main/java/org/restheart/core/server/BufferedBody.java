package org.restheart.core.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;

/// Content that has not arrived or is compressed. It is received into memory as far as somebody asks for it, which
/// blocks, and counted for the caller as known then; a service may read it piece by piece instead. Confined to one
/// request.
final class BufferedBody implements Body {
    private static final int FIRST_PIECE = 16 * 1024;

    private final Opening opening;
    private final long expected;
    private final boolean streamed;
    private final BodyLimits limits;
    private final BodyLimits.Counter counter;
    private @Nullable InputStream content;
    private byte[] bytes = new byte[0];
    private int length;
    private long counted;
    private boolean isBegun;
    private boolean isComplete;
    private boolean isWhole;

    interface Opening {
        /// @param pieces whether a service reads it piece by piece
        InputStream open(boolean pieces) throws IOException;
    }

    /// @param expected bytes; negative if their number is unknown
    /// @param counted how many of the bytes are counted already
    BufferedBody(
            Opening opening,
            long expected,
            long counted,
            boolean streamed,
            BodyLimits limits,
            BodyLimits.Counter counter) {
        this.opening = opening;
        this.expected = expected;
        this.counted = counted;
        this.streamed = streamed;
        this.limits = limits;
        this.counter = counter;
    }

    /// Receives no more than that, but for the rest of the last piece.
    @Override
    public boolean isLongerThan(long most) {
        if (expected >= 0) {
            return expected > most;
        }
        if (streamed) {
            return true;
        }
        receive(most);
        return length > most;
    }

    /// What the values of the content take as objects is counted, too.
    @Override
    public byte[] bytes() {
        requireSmall();
        receive(Long.MAX_VALUE);
        if (!isWhole) {
            bytes = Arrays.copyOf(bytes, length);
            limits.requireRoom(counter.addValues(bytes));
            isWhole = true;
        }
        return bytes;
    }

    private void requireSmall() {
        if (expected > limits.perRequest()) {
            throw limits.contentTooLarge().raise();
        }
    }

    @Override
    public void hold(long more) {
        counter.hold(more);
    }

    @Override
    public void holdTrees(long more) {
        counter.holdTrees(more);
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
            int n = receive();
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

    private int receive() {
        try {
            if (content == null) {
                content = opening.open(false);
            }
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

    /// Can be read once if a service reads content piece by piece, unless the whole content has been read before.
    ///
    /// @throws org.restheart.http.ProblemException 413 for content announced beyond the limit
    @Override
    public InputStream stream() throws IOException {
        if (!streamed || isWhole) {
            requireSmall();
            return new Piecewise();
        }
        if (expected > limits.streamed()) {
            throw limits.tooMuch().raise();
        }
        return opening.open(true);
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
            receive(position);
            if (length <= position) {
                return -1;
            }
            int n = Math.min(wanted, length - position);
            System.arraycopy(bytes, position, to, offset, n);
            position += n;
            return n;
        }
    }
}
