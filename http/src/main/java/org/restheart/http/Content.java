package org.restheart.http;

import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.restheart.http.push.Subscription;

/// The content of a response.
public sealed interface Content {
    Content NONE = new None();

    /// No bytes at all.
    record None() implements Content {}

    /// All bytes at hand; several responses may share them.
    ///
    /// @param buffer read-only by agreement: the writer sends a duplicate
    record Bytes(ByteBuffer buffer) implements Content {
        public static Bytes of(byte[] bytes) {
            return new Bytes(ByteBuffer.wrap(bytes));
        }

        public int length() {
            return buffer.remaining();
        }
    }

    /// Bytes that are produced while they are sent, as fast as the client takes them.
    record Streamed(Source source) implements Content {
        /// The same bytes by way of another source, which pulls them only when it is asked, and closes the first.
        public Streamed through(UnaryOperator<Source> change) {
            return new Streamed(change.apply(source));
        }
    }

    /// Messages without an end, sent as they come. With status 101 the connection is upgraded to a WebSocket, with 200
    /// they are a `text/event-stream`.
    record Push(Subscription subscription) implements Content {}

    /// Where streamed bytes come from. Confined to one response: asked from one virtual thread at a time, never again
    /// after the end, and closed exactly once, also when the client goes away.
    interface Source extends AutoCloseable {
        /// The next bytes, or an empty buffer at the end. May wait. An exception cuts the connection, so that the
        /// client
        /// notices that the content is not complete.
        ByteBuffer next() throws Exception;

        @Override
        void close();
    }
}
