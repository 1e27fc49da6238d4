package org.restheart.rest.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BSONException;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Reads BSON documents that follow each other, as `mongodump` and [DocumentFormat.BsonBytes] write them.
public final class BsonDocumentReader implements DocumentReader {
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
            return new Entry.Parsed(number, RawDocuments.checked(bytes));
        } catch (BSONException | IllegalArgumentException | MalformedJsonException e) {
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
}
