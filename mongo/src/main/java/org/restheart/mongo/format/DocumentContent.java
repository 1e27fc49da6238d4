package org.restheart.mongo.format;

import com.mongodb.client.MongoCursor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntConsumer;
import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;

/// Response content from a cursor's documents. A small result is complete at once; of a large one only one piece is
/// in memory, and the next one is read when the client has received it.
public final class DocumentContent {
    /// A result up to this many bytes is sent whole, with its length.
    static final int WHOLE = 1 << 20;

    /// Bytes per piece of a larger one, unless a single document is larger.
    private static final int PIECE = 64 << 10;

    private DocumentContent() {}

    /// A `200` of all the cursor's documents.
    ///
    /// @param cursor closed here or, if the result is large, after the last piece
    /// @throws com.mongodb.MongoException if MongoDB refuses the query
    public static Response.Ready response(MongoCursor<? extends BsonDocument> cursor, DocumentFormat format) {
        return response(cursor, format, _ -> {});
    }

    /// As [#response(MongoCursor, DocumentFormat)].
    ///
    /// @param large receives the average size of documents, in bytes, if the result is a large one
    public static Response.Ready response(
            MongoCursor<? extends BsonDocument> cursor, DocumentFormat format, IntConsumer large) {
        var span = TraceScope.current();
        var content =
                span == null ? of(cursor, format, large) : TraceScope.timed("encode", () -> of(cursor, format, large));
        return Response.status(200).with(format.mediaType(), content);
    }

    /// A `200` of the given documents.
    public static Response.Ready response(List<BsonDocument> documents, DocumentFormat format) {
        var out = new Utf8Buffer();
        format.begin(out);
        for (int i = 0; i < documents.size(); i++) {
            format.document(documents.get(i), i, out);
        }
        format.end(documents.size(), out);
        return Response.status(200).with(format.mediaType(), new Content.Bytes(out.toByteBuffer()));
    }

    private static Content of(MongoCursor<? extends BsonDocument> cursor, DocumentFormat format, IntConsumer large) {
        var pieces = new Pieces(cursor, format);
        boolean handedOver = false;
        try {
            var first = pieces.next(WHOLE);
            if (pieces.ended) {
                return new Content.Bytes(first);
            }
            pieces.waiting = first;
            int average = first.remaining() / (int) pieces.count;
            large.accept(average);
            handedOver = true;
            return new Content.Streamed(pieces, first.remaining() + (long) cursor.available() * average);
        } finally {
            if (!handedOver) {
                pieces.close();
            }
        }
    }

    private static final class Pieces implements Content.Source {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

        private final MongoCursor<? extends BsonDocument> cursor;
        private final DocumentFormat format;
        private ByteBuffer waiting = NOTHING;
        private long count;
        private boolean begun;
        private boolean ended;

        Pieces(MongoCursor<? extends BsonDocument> cursor, DocumentFormat format) {
            this.cursor = cursor;
            this.format = format;
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
                format.document(cursor.next(), count++, out);
                if (count == 1) {
                    out.reserve((int) Math.min(bytes, expected(out.length())));
                }
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
