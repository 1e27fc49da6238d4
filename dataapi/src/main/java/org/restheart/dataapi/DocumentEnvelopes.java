package org.restheart.dataapi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.restheart.http.Content;
import org.restheart.http.Lease;

/// Wraps documents of the REST API in the objects that clients of the Data API expect.
final class DocumentEnvelopes {
    private static final byte[] MANY = "{\"documents\": ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ONE = "{\"document\": ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EMPTY = "{\"documents\": []}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NONE = "{\"document\": null}".getBytes(StandardCharsets.US_ASCII);

    private DocumentEnvelopes() {}

    /// @param array JSON
    static Content many(Content array) {
        return switch (array) {
            case Content.Bytes bytes -> around(MANY, bytes);
            case Content.Streamed streamed -> streamed.through(source -> new Around(MANY, source));
            case Content.None _ -> Content.Bytes.small(EMPTY);
            case Content.Push _ -> throw new IllegalStateException("not an array");
        };
    }

    /// @param document JSON
    static Content one(Content document) {
        return document instanceof Content.Bytes bytes ? around(ONE, bytes) : Content.Bytes.small(NONE);
    }

    /// @param array JSON, of no or one document
    static Content oneOf(Content array) {
        return switch (array) {
            case Content.Bytes(var json, var lease)
            when json.remaining() > 2 ->
                around(ONE, new Content.Bytes(json.slice(json.position() + 1, json.remaining() - 2), lease));
            case Content.Streamed streamed -> streamed.through(source -> new Around(ONE, new Element(source)));
            default -> Content.Bytes.small(NONE);
        };
    }

    /// Of what is large there is no copy.
    private static Content around(byte[] opening, Content.Bytes json) {
        int length = opening.length + json.length() + 1;
        return json.length() > Lease.SMALL
                ? json.streamed(0, source -> new Around(opening, source))
                : json.through(
                        length,
                        bytes -> ByteBuffer.allocate(length)
                                .put(opening)
                                .put(bytes)
                                .put((byte) '}')
                                .flip());
    }

    /// The prefix, the value in parts, and the closing brace.
    private static final class Around implements Content.Source {
        private final byte[] opening;
        private final Content.Source value;
        private boolean begun;
        private boolean ended;

        Around(byte[] opening, Content.Source value) {
            this.opening = opening;
            this.value = value;
        }

        @Override
        public ByteBuffer next() throws Exception {
            if (!begun) {
                begun = true;
                return ByteBuffer.wrap(opening);
            }
            var piece = ended ? ByteBuffer.allocate(0) : value.next();
            if (piece.hasRemaining() || ended) {
                return piece;
            }
            ended = true;
            return ByteBuffer.wrap(new byte[] {'}'});
        }

        @Override
        public void close() {
            value.close();
        }
    }

    /// The only element of an array: all but its first byte and its last one, which is known when nothing follows.
    private static final class Element implements Content.Source {
        private final Content.Source array;
        private ByteBuffer last = ByteBuffer.allocate(0);
        private ByteBuffer waiting = ByteBuffer.allocate(0);
        private boolean begun;

        Element(Content.Source array) {
            this.array = array;
        }

        @Override
        public ByteBuffer next() throws Exception {
            while (!waiting.hasRemaining()) {
                var piece = array.next().slice();
                if (!piece.hasRemaining()) {
                    return piece;
                }
                piece.position(begun ? 0 : 1);
                begun = true;
                if (piece.hasRemaining()) {
                    waiting = piece.slice(piece.position(), piece.remaining() - 1);
                    var before = last;
                    last = ByteBuffer.wrap(new byte[] {piece.get(piece.limit() - 1)});
                    if (before.hasRemaining()) {
                        return before;
                    }
                }
            }
            var next = waiting;
            waiting = ByteBuffer.allocate(0);
            return next;
        }

        @Override
        public void close() {
            array.close();
        }
    }
}
