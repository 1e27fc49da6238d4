package org.restheart.security;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Lets the content of a request or a response break off when the credentials of the request end: a client that sends
/// or receives slowly could otherwise go on for as long as it likes. Confined to one request or one response.
final class RevocableContent {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier standing;
    private long checked = System.nanoTime();

    /// @param standing whether the credentials are still good; may block
    RevocableContent(BooleanSupplier standing) {
        this.standing = standing;
    }

    private boolean hasEnded() {
        long now = System.nanoTime();
        if (now - checked <= INTERVAL_NANOS) {
            return false;
        }
        if (!standing.getAsBoolean()) {
            return true;
        }
        checked = now;
        return false;
    }

    Content.Source of(Content.Source source) {
        return new Content.Source() {
            @Override
            public ByteBuffer next() throws Exception {
                if (hasEnded()) {
                    throw new IOException("the credentials have ended");
                }
                return source.next();
            }

            @Override
            public void close() {
                source.close();
            }
        };
    }

    Body of(Body content) {
        return new Received(content);
    }

    private final class Received implements Body {
        private final Body content;
        private boolean isRead;

        Received(Body content) {
            this.content = content;
        }

        @Override
        public boolean isLongerThan(long most) {
            return content.isLongerThan(most);
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
            if (hasEnded()) {
                throw new ProblemException(ProblemCode.AUTHENTICATION_REQUIRED, "the credentials have ended");
            }
        }
    }
}
