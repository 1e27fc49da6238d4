package org.restheart.core.server;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;

/// Content that has not arrived yet. It is received when it is read and as far as it is, which blocks, and accounted to
/// the caller as known then; a service may read it piece by piece instead. Confined to one request.
final class ArrivingBody implements Body {
    private final long announced;
    private final boolean streamed;
    private final ArrivingContent content;
    private final BodyLimits limits;
    private final BodyLimits.Counter counter;
    private final ContentBuffer buffer;
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
        this.buffer = new ContentBuffer(content, announced, content.received(), limits, counter);
    }

    @Override
    public boolean isLongerThan(long most) {
        if (announced >= 0) {
            return announced > most;
        }
        return streamed || buffer.isLongerThan(most);
    }

    @Override
    public byte[] bytes() {
        if (whole == null) {
            requireSmall();
            whole = buffer.all();
        }
        return whole;
    }

    @Override
    public void hold(long bytes) {
        counter.hold(bytes);
    }

    private void requireSmall() {
        if (announced > limits.perRequest()) {
            throw limits.contentTooLarge().raise();
        }
    }

    /// Can be read once if a service reads content piece by piece, unless the whole content has been read before.
    ///
    /// @throws org.restheart.http.ProblemException 413 for content announced beyond the limit
    @Override
    public InputStream stream() {
        if (whole != null) {
            return new ByteArrayInputStream(whole);
        }
        if (!streamed) {
            requireSmall();
            return buffer.stream();
        }
        if (announced > limits.streamed()) {
            throw limits.tooMuch().raise();
        }
        return content;
    }
}
