package org.restheart.security;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.restheart.http.Body;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Content of a request that breaks off when the credentials of the request end: a client that sends slowly could
/// otherwise write for as long as it likes. Confined to one request.
final class RevocableBody implements Body {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier standing;
    private final Body content;
    private long checked = System.nanoTime();
    private boolean isRead;

    /// @param standing whether the credentials are still good; may block
    RevocableBody(BooleanSupplier standing, Body content) {
        this.standing = standing;
        this.content = content;
    }

    @Override
    public long length() {
        return content.length();
    }

    @Override
    public boolean isHere() {
        return content.isHere();
    }

    @Override
    public void hold(long bytes) {
        content.hold(bytes);
    }

    /// Checks when the content has arrived, not when it is read again, perhaps after something was written.
    @Override
    public byte[] bytes() {
        var bytes = content.bytes();
        if (!isRead) {
            isRead = true;
            check();
        }
        return bytes;
    }

    @Override
    public InputStream stream() throws IOException {
        return new FilterInputStream(content.stream()) {
            @Override
            public int read() throws IOException {
                int read = in.read();
                check();
                return read;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = in.read(bytes, offset, length);
                check();
                return read;
            }
        };
    }

    private void check() {
        long now = System.nanoTime();
        if (now - checked > INTERVAL_NANOS) {
            if (!standing.getAsBoolean()) {
                throw Problem.of(ProblemCode.AUTHENTICATION_REQUIRED, "the credentials have ended")
                        .raise();
            }
            checked = now;
        }
    }
}
