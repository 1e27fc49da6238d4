package org.restheart.dataapi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.restheart.http.Content;
import org.restheart.http.Lease;

/// Wraps documents of the REST API in the objects that clients of the Data API expect.
final class DocumentEnvelopes {
    private static final byte[] MANY = "{\"documents\": ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ONE = "{\"document\": ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private DocumentEnvelopes() {}

    /// @param array JSON
    static Content many(Content array) {
        return switch (array) {
            case Content.Bytes(var buffer, var lease)
            when buffer.remaining() > Lease.SMALL -> new Content.Streamed(new Around(new Whole(buffer)), 0, lease);
            case Content.Bytes(var buffer, var lease) -> around(MANY, buffer.duplicate(), lease);
            case Content.Streamed streamed -> streamed.through(Around::new);
            case Content.None _ ->
                around(MANY, ByteBuffer.wrap("[]".getBytes(StandardCharsets.US_ASCII)), array.lease());
            case Content.Push _, Content.Forwarded _ -> throw new IllegalStateException("not an array");
        };
    }

    /// @param document JSON
    static Content one(Content document) {
        return document instanceof Content.Bytes(var buffer, var lease)
                ? around(ONE, buffer.duplicate(), lease)
                : around(ONE, ByteBuffer.wrap(NULL), document.lease());
    }

    /// @param array JSON, of no or one document
    static Content oneOf(Content array) {
        if (array instanceof Content.Streamed streamed) {
            return streamed.through(source -> new FirstOf(source, streamed.lease()));
        }
        return array instanceof Content.Bytes(var buffer, var lease) && buffer.remaining() > 2
                ? around(ONE, buffer.slice(buffer.position() + 1, buffer.remaining() - 2), lease)
                : around(ONE, ByteBuffer.wrap(NULL), array.lease());
    }

    private static Content around(byte[] opening, ByteBuffer json, Lease lease) {
        var all = new byte[opening.length + json.remaining() + 1];
        System.arraycopy(opening, 0, all, 0, opening.length);
        json.get(all, opening.length, json.remaining());
        all[all.length - 1] = '}';
        return Content.Bytes.of(all, lease);
    }

    /// A page that other requests share: a copy for each would have no owner.
    private static final class Whole implements Content.Source {
        private ByteBuffer rest;

        Whole(ByteBuffer bytes) {
            this.rest = bytes.duplicate();
        }

        @Override
        public ByteBuffer next() {
            var all = rest;
            rest = ByteBuffer.allocate(0);
            return all;
        }

        @Override
        public void close() {}
    }

    /// The prefix, the array in parts, and the closing brace.
    private static final class Around implements Content.Source {
        private final Content.Source array;
        private boolean begun;
        private boolean ended;

        Around(Content.Source array) {
            this.array = array;
        }

        @Override
        public ByteBuffer next() throws Exception {
            if (!begun) {
                begun = true;
                return ByteBuffer.wrap(MANY);
            }
            var piece = ended ? ByteBuffer.allocate(0) : array.next();
            if (piece.hasRemaining() || ended) {
                return piece;
            }
            ended = true;
            return ByteBuffer.wrap(new byte[] {'}'});
        }

        @Override
        public void close() {
            array.close();
        }
    }

    /// A single document that is streamed because of its size, which is at most MongoDB's limit.
    private static final class FirstOf implements Content.Source {
        private final Content.Source array;
        private final Lease lease;
        private boolean done;

        FirstOf(Content.Source array, Lease lease) {
            this.array = array;
            this.lease = lease;
        }

        @Override
        public ByteBuffer next() throws Exception {
            if (done) {
                return ByteBuffer.allocate(0);
            }
            done = true;
            var all = Content.stream(new Content.Streamed(array, 0, lease)).readAllBytes();
            return oneOf(Content.Bytes.of(all, lease)) instanceof Content.Bytes(var buffer, var _)
                    ? buffer
                    : ByteBuffer.allocate(0);
        }

        @Override
        public void close() {
            array.close();
        }
    }
}
