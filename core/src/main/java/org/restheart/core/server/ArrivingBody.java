package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;

/// Content that is read while it arrives, as fast as its reader works. Who wants the whole in memory gets it within
/// the limits of ordinary content. Confined to one request.
final class ArrivingBody implements Body {
    private static final int PIECE = 64 * 1024;

    private final long announced;
    private final ArrivingContent content;
    private final BodyLimits limits;
    private final BodyLimits.Account account;
    private byte @Nullable [] whole;

    private ArrivingBody(long announced, ArrivingContent content, BodyLimits limits, BodyLimits.Account account) {
        this.announced = announced;
        this.content = content;
        this.limits = limits;
        this.account = account;
    }

    static Body of(HttpServerExchange exchange, BodyLimits limits, BodyLimits.Account account) {
        return new ArrivingBody(
                exchange.getRequestContentLength(), new ArrivingContent(exchange, limits), limits, account);
    }

    @Override
    public long length() {
        return announced < 0 ? Long.MAX_VALUE : announced;
    }

    @Override
    public byte[] bytes() {
        if (whole == null) {
            whole = read();
        }
        return whole;
    }

    private byte[] read() {
        if (announced > limits.perRequest()) {
            return limits.tooLarge().bytes();
        }
        var bytes = new ByteArrayOutputStream();
        var piece = new byte[PIECE];
        for (int n = content.read(piece, 0, PIECE); n >= 0; n = content.read(piece, 0, PIECE)) {
            if (bytes.size() + (long) n > limits.perRequest()) {
                return limits.tooLarge().bytes();
            }
            if (!account.book(n)) {
                return limits.noRoom().bytes();
            }
            bytes.write(piece, 0, n);
        }
        return bytes.toByteArray();
    }

    /// There once, unless the whole has been asked for before.
    ///
    /// @throws org.restheart.http.ProblemException 413 for content announced beyond the limit
    @Override
    public InputStream stream() {
        if (whole != null) {
            return new ByteArrayInputStream(whole);
        }
        if (announced > limits.streamed()) {
            throw limits.tooMuch().raise();
        }
        return content;
    }
}
