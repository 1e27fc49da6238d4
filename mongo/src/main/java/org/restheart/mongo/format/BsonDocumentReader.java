package org.restheart.mongo.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BSONException;
import org.bson.BsonBinaryReader;
import org.bson.BsonDocument;
import org.bson.BsonSerializationException;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Reads BSON documents that follow each other, as `mongodump` and [DocumentFormat.BsonBytes] write them.
public final class BsonDocumentReader implements DocumentReader {
    /// As of JSON; MongoDB does not store more.
    private static final int MAX_DEPTH = 100;

    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private final InputStream in;
    private long number;

    public BsonDocumentReader(InputStream in) {
        this.in = in;
    }

    @Override
    public @Nullable Entry next() throws IOException {
        var head = in.readNBytes(Integer.BYTES);
        if (head.length == 0) {
            return null;
        }
        number++;
        int length = head.length < Integer.BYTES ? 0 : littleEndian(head).getInt();
        if (length <= Integer.BYTES) {
            throw broken();
        }
        if (length > MAX_LENGTH) {
            skip(length - Integer.BYTES);
            return new Entry.Malformed(number, Problem.of(CONTENT_TOO_LARGE, "the document is larger than 16 MiB"));
        }
        var bytes = new byte[length];
        littleEndian(bytes).putInt(length);
        if (in.readNBytes(bytes, Integer.BYTES, length - Integer.BYTES) < length - Integer.BYTES) {
            throw broken();
        }
        try {
            return new Entry.Parsed(number, decode(bytes));
        } catch (BSONException | IllegalArgumentException e) {
            return new Entry.Malformed(number, Problem.of(CONTENT_INVALID, "Invalid BSON. " + e.getMessage()));
        }
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void skip(int length) throws IOException {
        try {
            in.skipNBytes(length);
        } catch (EOFException _) {
            throw broken();
        }
    }

    private ProblemException broken() {
        return new ProblemException(CONTENT_INVALID, "Invalid BSON. Document " + number + " does not end, or is none.");
    }

    /// Decoded as a whole, so that nothing that is malformed is found later.
    private static BsonDocument decode(byte[] bytes) {
        try (var reader = new BoundedReader(ByteBuffer.wrap(bytes))) {
            var document = CODEC.decode(reader, DecoderContext.builder().build());
            if (reader.getBsonInput().hasRemaining()) {
                throw new BsonSerializationException("The document ends before its length.");
            }
            return document;
        }
    }

    /// Decoding is recursive: bounded, so that no document exhausts the stack.
    private static final class BoundedReader extends BsonBinaryReader {
        private int depth;

        BoundedReader(ByteBuffer bytes) {
            super(bytes);
        }

        @Override
        public void doReadStartDocument() {
            enter();
            super.doReadStartDocument();
        }

        @Override
        public void doReadStartArray() {
            enter();
            super.doReadStartArray();
        }

        @Override
        protected void doReadEndDocument() {
            depth--;
            super.doReadEndDocument();
        }

        @Override
        protected void doReadEndArray() {
            depth--;
            super.doReadEndArray();
        }

        private void enter() {
            if (++depth > MAX_DEPTH) {
                throw new BsonSerializationException("More than " + MAX_DEPTH + " levels.");
            }
        }
    }
}
