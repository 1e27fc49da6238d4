package org.restheart.core.server;

import java.io.IOException;
import java.io.InputStream;

/// Content that has not arrived yet; a service may read it piece by piece. Confined to one request.
final class ArrivingBody extends BufferedBody {
    private final long announced;
    private final boolean streamed;
    private final ArrivingContent content;

    /// @param announced `Content-Length`; negative if there is none
    /// @param streamed whether the service reads content piece by piece
    ArrivingBody(
            long announced, boolean streamed, ArrivingContent content, BodyLimits limits, BodyLimits.Counter counter) {
        super(announced, content.received(), limits, counter);
        this.announced = announced;
        this.streamed = streamed;
        this.content = content;
    }

    @Override
    InputStream open() {
        return content;
    }

    @Override
    public boolean isLongerThan(long most) {
        if (announced >= 0) {
            return announced > most;
        }
        return streamed || super.isLongerThan(most);
    }

    @Override
    public byte[] bytes() {
        requireSmall();
        return super.bytes();
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
    public InputStream stream() throws IOException {
        if (!streamed || isWhole()) {
            requireSmall();
            return super.stream();
        }
        if (announced > limits.streamed()) {
            throw limits.tooMuch().raise();
        }
        return content;
    }
}
