package org.restheart.http;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.restheart.http.push.Subscription;

/// The content of a response.
@SuppressWarnings("ClassInitializationDeadlock") // every record of it is used through it
public sealed interface Content {
    Content NONE = new None();

    /// The bytes, for a service that makes another response of them, on a thread that may wait. Closing it ends
    /// the content, whatever has been read.
    ///
    /// @throws IllegalStateException for messages, which are not bytes of one content
    static InputStream stream(Content content) {
        return switch (content) {
            case None _ -> InputStream.nullInputStream();
            case Bytes(var buffer) -> {
                var bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                yield new ByteArrayInputStream(bytes);
            }
            case Streamed streamed -> new SourceStream(streamed.source);
            case Push _ -> throw new IllegalStateException("messages");
            case Forwarded _ -> throw new IllegalStateException("a response of another server");
        };
    }

    /// No bytes at all.
    record None() implements Content {}

    /// Complete content in memory; several responses may share it.
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
    ///
    /// @param held bytes that the source holds in memory meanwhile, about
    record Streamed(Source source, long held) implements Content {
        private static final int FEW = 128 << 10;

        /// Of a source that holds a piece at a time.
        public Streamed(Source source) {
            this(source, FEW);
        }

        /// The same content through another source, which reads lazily and closes the first.
        public Streamed through(UnaryOperator<Source> change) {
            return new Streamed(change.apply(source), held);
        }
    }

    /// An unbounded sequence of messages, sent as they are produced. With status 101 the connection is upgraded
    /// to a WebSocket, with 200 they are a `text/event-stream`.
    record Push(Subscription subscription) implements Content {}

    /// The response of another server, to which the request is handed on with its content. Status and content
    /// are that server's; the headers of this response are added.
    ///
    /// @param proxy by which it is handed on: its path in the configuration
    /// @param path there, with its query
    /// @param headers of the request as it is handed on, but those of its framing
    /// @param caller for whom ([org.restheart.http.access.CallerScope])
    record Forwarded(String proxy, String path, Fields headers, String caller) implements Content {}

    /// Supplies streamed bytes. Confined to one response: read by one virtual thread at a time, never after the
    /// end, and closed exactly once, also when the client disconnects.
    interface Source extends AutoCloseable {
        /// The next bytes, or an empty buffer at the end. May wait. An exception closes the connection, so that
        /// the client detects incomplete content.
        ByteBuffer next() throws Exception;

        @Override
        void close();
    }
}
