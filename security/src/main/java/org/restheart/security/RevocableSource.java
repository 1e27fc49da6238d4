package org.restheart.security;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.restheart.http.Content;

/// Streamed content that breaks off when the credentials of its request end: a client that receives slowly could
/// otherwise read for as long as it likes. Confined to one response.
final class RevocableSource implements Content.Source {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier standing;
    private final Content.Source source;
    private long checked = System.nanoTime();

    /// @param standing whether the credentials are still good; may block
    RevocableSource(BooleanSupplier standing, Content.Source source) {
        this.standing = standing;
        this.source = source;
    }

    @Override
    public ByteBuffer next() throws Exception {
        long now = System.nanoTime();
        if (now - checked > INTERVAL_NANOS) {
            if (!standing.getAsBoolean()) {
                throw new IOException("the credentials have ended");
            }
            checked = now;
        }
        return source.next();
    }

    @Override
    public void close() {
        source.close();
    }
}
