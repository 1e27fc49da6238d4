package org.restheart.mongo.format;

import com.mongodb.client.MongoCursor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;
import org.restheart.mongo.find.DocumentSizes.Size;

/// Response content from a cursor's documents. A small result is complete at once; of a large one only one piece is
/// in memory, and the next one is read when the client has received it.
public final class DocumentContent {
    /// A result up to this many bytes is sent whole, with its length.
    static final int WHOLE = 1 << 20;

    /// Bytes per piece of a larger one, unless a single document is larger.
    private static final int PIECE = 64 << 10;

    private DocumentContent() {}

    /// What memory a result takes: before it is read as much as is expected, afterwards what it has taken.
    ///
    /// @param lease owns it
    /// @param size of its documents
    /// @param most documents that it has, or that are fetched in one batch
    /// @param isShared whether several requests have asked for it
    public record Room(Lease lease, Size size, int most, boolean isShared) {
        public Room(Lease lease, Size size, int most) {
            this(lease, size, most, false);
        }
    }

    /// A `200` of all documents that are found.
    ///
    /// @param find returns the cursor by the number of documents in a batch; it is closed here or, if the result is
    ///     large, after the last piece
    /// @throws com.mongodb.MongoException if MongoDB refuses the query
    /// @throws org.restheart.http.ProblemException 503 if the lease's caller may not have the memory now
    public static Response.Ready response(
            Room room, IntFunction<? extends MongoCursor<? extends BsonDocument>> find, DocumentFormat format) {
        int batch = room.size.batch(room.most);
        long expected = (long) Size.COPIES * batch * room.size.one();
        room.lease.hold(expected);
        long held = 0;
        Pieces open = null;
        try {
            var pieces = new Pieces(find.apply(batch), format, room.size);
            open = pieces;
            // what several requests have asked for is read once if it fits into the memory for reading it
            int whole = room.isShared ? (int) Math.max(WHOLE, expected - expected / Size.COPIES) : WHOLE;
            var first = TraceScope.current() == null
                    ? pieces.next(whole)
                    : TraceScope.timed("encode", () -> pieces.next(whole));
            Content content;
            if (pieces.ended) {
                content = new Content.Bytes(first, room.lease);
                held = first.array().length;
            } else {
                long sent = first.array().length + (Size.COPIES - 1L) * batch * room.size.one();
                pieces.waiting = first;
                content = new Content.Streamed(pieces, sent, room.lease);
                held = sent;
                open = null;
            }
            return Response.status(200).with(format.mediaType(), content);
        } finally {
            room.lease.correct(expected, held);
            if (open != null) {
                open.close();
            }
        }
    }

    /// A `200` of the given documents.
    public static Response.Ready response(Lease lease, List<BsonDocument> documents, DocumentFormat format) {
        var out = new Utf8Buffer();
        format.begin(out);
        for (int i = 0; i < documents.size(); i++) {
            format.document(documents.get(i), i, out);
        }
        format.end(documents.size(), out);
        return Response.status(200).with(format.mediaType(), new Content.Bytes(out.toByteBuffer(), lease));
    }

    private static final class Pieces implements Content.Source {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

        private final MongoCursor<? extends BsonDocument> cursor;
        private final DocumentFormat format;
        private final Size size;
        private ByteBuffer waiting = NOTHING;
        private long count;
        private boolean begun;
        private boolean ended;

        Pieces(MongoCursor<? extends BsonDocument> cursor, DocumentFormat format, Size size) {
            this.cursor = cursor;
            this.format = format;
            this.size = size;
        }

        @Override
        public ByteBuffer next() {
            if (waiting.hasRemaining()) {
                var next = waiting;
                waiting = NOTHING;
                return next;
            }
            return ended ? NOTHING : next(PIECE);
        }

        private ByteBuffer next(int bytes) {
            var out = new Utf8Buffer();
            long before = count;
            long read = 0;
            if (!begun) {
                format.begin(out);
                begun = true;
            }
            while (out.length() < bytes) {
                if (!cursor.hasNext()) {
                    format.end(count, out);
                    ended = true;
                    break;
                }
                var document = cursor.next();
                read += document instanceof RawBsonDocument raw ? raw.getByteLength() : 0;
                format.document(document, count++, out);
                if (count == 1) {
                    out.reserve((int) Math.min(bytes, expected(out.length())));
                }
            }
            if (read > 0) {
                size.saw(read, count - before);
            }
            return out.toByteBuffer();
        }

        /// Estimates the size from the first document, so that the buffer rarely grows.
        private long expected(int first) {
            return (long) cursor.available() * (first + first / 8) + first / 8;
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
