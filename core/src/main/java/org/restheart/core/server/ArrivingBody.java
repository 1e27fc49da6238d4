package org.restheart.core.server;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;

/// Content that has not arrived yet. It is received when it is read, which blocks, and accounted to the caller as
/// known then; a service may read it piece by piece instead. Confined to one request.
final class ArrivingBody implements Body {
    private static final int FIRST_PIECE = 16 * 1024;

    private final long announced;
    private final boolean streamed;
    private final ArrivingContent content;
    private final BodyLimits limits;
    private final BodyLimits.Counter counter;
    private byte @Nullable [] whole;

    /// @param announced `Content-Length`; negative if there is none
    /// @param streamed whether the service reads content piece by piece
    ArrivingBody(
            long announced, boolean streamed, ArrivingContent content, BodyLimits limits, BodyLimits.Counter counter) {
        this.announced = announced;
        this.streamed = streamed;
        this.content = content;
        this.limits = limits;
        this.counter = counter;
    }

    @Override
    public long length() {
        if (announced >= 0) {
            return announced;
        }
        return streamed ? Long.MAX_VALUE : bytes().length;
    }

    @Override
    public byte[] bytes() {
        if (whole == null) {
            whole = read();
        }
        return whole;
    }

    @Override
    public void hold(long bytes) {
        counter.hold(bytes);
    }

    private byte[] read() {
        if (announced > limits.perRequest()) {
            throw limits.contentTooLarge().raise();
        }
        limits.requireRoom(counter.countForCaller());
        int counted = content.received();
        var bytes = new byte[(int) Math.min(FIRST_PIECE, announced < 0 ? FIRST_PIECE : Math.max(1, announced))];
        int length = 0;
        for (int n = 0; n >= 0; n = content.read(bytes, length, bytes.length - length)) {
            length += n;
            if (length > limits.perRequest()) {
                throw limits.contentTooLarge().raise();
            }
            if (length > counted) {
                limits.requireRoom(counter.add(length - counted));
                counted = length;
            }
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, larger(length));
            }
        }
        var complete = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        limits.requireRoom(counter.addValues(complete));
        return complete;
    }

    /// Twice as much, but at most one byte beyond the limit, which detects content that is too large.
    private int larger(int length) {
        long most = announced < 0 ? limits.perRequest() : announced;
        return (int) Math.max(length + 1L, Math.min(2L * length, most + 1));
    }

    /// Can be read once, unless the whole content has been read before.
    ///
    /// @throws org.restheart.http.ProblemException 413 for content announced beyond the limit
    @Override
    public InputStream stream() {
        if (whole != null || !streamed) {
            return new ByteArrayInputStream(bytes());
        }
        if (announced > limits.streamed()) {
            throw limits.tooMuch().raise();
        }
        return content;
    }
}
