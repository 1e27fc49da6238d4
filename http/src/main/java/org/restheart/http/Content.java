package org.restheart.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.restheart.http.push.Subscription;

/// The content of a response.
@SuppressWarnings("ClassInitializationDeadlock") // every record of it is used through it
public sealed interface Content {
    Content NONE = new None();

    /// How often content is there while it is converted: its copy, text, a tree, and what is made of it.
    long CONVERTED = 6;

    /// The bytes of a response's content, for a service that converts them. Reading blocks. Closing the
    /// stream closes the source of streamed content.
    ///
    /// @throws ProblemException 503 if the caller may not have the memory for that now
    /// @throws IllegalStateException for [Push], which has no bytes here
    static InputStream stream(Content content) {
        return switch (content) {
            case None _ -> InputStream.nullInputStream();
            case Bytes(var buffer, var lease) -> {
                if (buffer.remaining() > Lease.SMALL) {
                    lease.hold(CONVERTED * buffer.remaining());
                }
                var bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                yield new ByteArrayInputStream(bytes);
            }
            case Streamed streamed -> new SourceStream(streamed.source);
            case Push _ -> throw new IllegalStateException("pushed messages are not one content");
        };
    }

    default Lease lease() {
        return Lease.CONSTANT;
    }

    /// Ends content that is not sent: closes the source of streamed content, ends a subscription. May block.
    default void abandon() {
        switch (this) {
            case None _, Bytes _ -> {}
            case Streamed streamed -> streamed.source.close();
            case Push(var subscription) -> subscription.end();
        }
    }

    record None() implements Content {}

    /// Complete content in memory; several responses may share it.
    ///
    /// @param buffer from its position to its limit; must not be changed, and is sent through a duplicate
    record Bytes(ByteBuffer buffer, Lease lease) implements Content {
        /// @throws ProblemException 503 if the caller of the lease may not have so much now
        public Bytes {
            lease.cover(buffer.remaining());
        }

        /// @param bytes not copied
        public static Bytes of(byte[] bytes, Lease lease) {
            return new Bytes(ByteBuffer.wrap(bytes), lease);
        }

        /// Content that nobody owns: errors, and what is a few lines whatever is stored.
        ///
        /// @param bytes at most [Lease#SMALL], not copied
        public static Bytes small(byte[] bytes) {
            return of(bytes, Lease.UNOWNED);
        }

        public int length() {
            return buffer.remaining();
        }

        /// Other content made of this, in memory of its own: several responses may share this one.
        ///
        /// @param most bytes that making it takes, taken before
        /// @throws ProblemException 503 if the caller of the lease may not have so much now
        public Bytes through(long most, UnaryOperator<ByteBuffer> change) {
            var owner = lease.ofDerived();
            owner.hold(most);
            var made = change.apply(buffer.duplicate());
            owner.correct(most, made.capacity());
            return new Bytes(made, owner);
        }

        /// Other content made of this while it is sent.
        ///
        /// @param more bytes that the source holds besides
        /// @param change returns a source that reads from the given one, and closes it
        /// @throws ProblemException 503 if the caller of the lease may not have so much now
        public Streamed streamed(long more, UnaryOperator<Source> change) {
            return new Streamed(new BufferSource(buffer), length(), lease.ofDerived()).through(more, change);
        }
    }

    /// Bytes that are produced while they are sent, as fast as the client receives them.
    ///
    /// @param held approximate number of bytes that the source holds in memory until it is closed
    record Streamed(Source source, long held, Lease lease) implements Content {
        /// @throws ProblemException 503 if the caller may not have so much now; the source stays open
        public Streamed {
            lease.cover(held);
        }

        /// This content with another source.
        ///
        /// @param change returns a source that reads from the given one, and closes it
        public Streamed through(UnaryOperator<Source> change) {
            return new Streamed(change.apply(source), held, lease);
        }

        /// The same with a source that holds more.
        ///
        /// @throws ProblemException 503 if the caller may not have so much now; closes the source
        public Streamed through(long more, UnaryOperator<Source> change) {
            if (!lease.tryHold(more)) {
                source.close();
                throw Lease.full();
            }
            return new Streamed(change.apply(source), held + more, lease);
        }
    }

    /// An unbounded sequence of messages, sent as they are produced. With status 101 the connection is upgraded
    /// to a WebSocket, with 200 they are a `text/event-stream`.
    record Push(Subscription subscription) implements Content {}

    /// Supplies streamed bytes. Confined to one response: read by one virtual thread at a time, never after the
    /// end, and closed exactly once, also when the client disconnects.
    interface Source extends AutoCloseable {
        /// The next bytes, or an empty buffer at the end. May block. The buffer is valid until the next
        /// call.
        ///
        /// @throws Exception for any failure; the connection is then closed, so that the client detects
        ///     incomplete content
        ByteBuffer next() throws Exception;

        @Override
        void close();
    }

    final class BufferSource implements Source {
        private final ByteBuffer rest;

        BufferSource(ByteBuffer bytes) {
            this.rest = bytes.duplicate();
        }

        @Override
        public ByteBuffer next() {
            var all = rest.slice();
            rest.position(rest.limit());
            return all;
        }

        @Override
        public void close() {}
    }

    /// A source whose bytes go through a stream that changes them, such as a compressor, a piece at a
    /// time, however much the source supplies at once. What one piece becomes is sent before the next
    /// one is read.
    final class ThroughStream implements Source {
        /// Bytes that are changed at once.
        public static final int PIECE = 64 << 10;

        private final Source source;
        private final ByteArrayOutputStream changed = new ByteArrayOutputStream();
        private final OutputStream stream;
        private final WritableByteChannel channel;
        private ByteBuffer rest = ByteBuffer.allocate(0);
        private boolean ended;

        /// @param stream returns one that writes to the given one, and is closed at the end
        public ThroughStream(Source source, Function<ByteArrayOutputStream, OutputStream> stream) {
            this.source = source;
            this.stream = stream.apply(changed);
            this.channel = Channels.newChannel(this.stream);
        }

        @Override
        public ByteBuffer next() throws Exception {
            while (!ended && changed.size() == 0) {
                if (!rest.hasRemaining()) {
                    rest = source.next().duplicate();
                    ended = !rest.hasRemaining();
                }
                var piece = rest.slice(rest.position(), Math.min(PIECE, rest.remaining()));
                rest.position(rest.position() + channel.write(piece));
                if (ended) {
                    stream.close();
                } else if (!rest.hasRemaining()) {
                    stream.flush();
                }
            }
            var bytes = ByteBuffer.wrap(changed.toByteArray());
            changed.reset();
            return bytes;
        }

        @Override
        public void close() {
            try (source) {
                stream.close();
            } catch (IOException e) {
                throw new UncheckedIOException("memory cannot fail", e);
            }
        }
    }

    /// Adapts a [Source] to an [InputStream]. Confined to one thread.
    final class SourceStream extends InputStream {
        private final Source source;
        private ByteBuffer piece = ByteBuffer.allocate(0);
        private boolean ended;
        private boolean closed;

        SourceStream(Source source) {
            this.source = source;
        }

        @Override
        public int read() throws IOException {
            return isThere() ? piece.get() & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!isThere()) {
                return -1;
            }
            int read = Math.min(length, piece.remaining());
            piece.get(into, offset, read);
            return read;
        }

        private boolean isThere() throws IOException {
            if (piece.hasRemaining()) {
                return true;
            }
            if (ended || closed) {
                return false;
            }
            try {
                piece = source.next().duplicate();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
            ended = !piece.hasRemaining();
            return !ended;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                source.close();
            }
        }
    }
}
