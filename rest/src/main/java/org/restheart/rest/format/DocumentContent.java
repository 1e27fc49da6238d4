package org.restheart.rest.format;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.LargeReplies;

/// Response content from a cursor's documents. A small result is complete at once; of a large one only one piece is
/// in memory, and the next one is read when the client has received it.
public final class DocumentContent {
    /// A result up to this many bytes is sent whole, with its length and a tag.
    static final int WHOLE = 1 << 20;

    /// As the one before, where there is memory for it.
    static final int LARGEST_WHOLE = 4 << 20;

    /// Bytes per piece of a larger one, unless a single document is larger.
    private static final int PIECE = 64 << 10;

    private DocumentContent() {}

    /// What memory a result takes: before it is read as much as is expected, afterwards what it has taken.
    ///
    /// @param lease owns it
    /// @param most documents that it has, or that are fetched in one batch
    /// @param isShared whether several requests have asked for it
    /// @param isHeld whether its cursor takes the memory for its documents, larger than those read
    public record Room(Lease lease, Size size, int most, boolean isShared, boolean isHeld) {
        public Room(Lease lease, Size size, int most) {
            this(lease, size, most, false, false);
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
        return room.size.reading(() -> begin(room, find, format));
    }

    private static Response.Ready begin(
            Room room, IntFunction<? extends MongoCursor<? extends BsonDocument>> find, DocumentFormat format) {
        var pieces = new Pieces(room, format);
        try {
            pieces.cursor = find.apply(pieces.batch);
            // what several requests have asked for is read once if it fits into the memory for reading it
            int whole = room.isShared && pieces.batch > 1 ? (int) Math.max(WHOLE, pieces.held / 2) : WHOLE;
            var first = TraceScope.current() == null
                    ? pieces.next(whole)
                    : TraceScope.timed("encode", () -> pieces.next(whole));
            return Response.status(200).with(format.mediaType(), pieces.content(first));
        } finally {
            if (!pieces.flows) {
                pieces.close();
            }
        }
    }

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

        /// Bytes of memory for the next batch of a result that is being sent.
        private static final long MOST_KEPT = 4 << 20;

        private final Room room;
        private final DocumentFormat format;
        private final int batch;

        /// Of the lease, for the batch that is read.
        private long held;

        private @Nullable MongoCursor<? extends BsonDocument> cursor;
        private boolean flows;
        private ByteBuffer waiting = NOTHING;
        private long count;
        private long read;
        private boolean begun;
        private boolean ended;
        private boolean isExtended;

        /// @throws org.restheart.http.ProblemException 503 if the lease's caller may not have the memory now
        Pieces(Room room, DocumentFormat format) {
            this.room = room;
            this.format = format;
            this.batch = room.size.batch(room.most);
            this.held = room.size.reading(batch);
            if (InlineRead.isBound()) {
                room.lease.hold(held);
            } else {
                room.lease.await(held);
            }
        }

        /// @param first what was read at once
        Content content(ByteBuffer first) {
            if (ended) {
                settle(first.capacity());
                held = 0; // of the content from now on
                return new Content.Bytes(first, room.lease);
            }
            settle(first.capacity() + kept());
            var content = new Content.Streamed(this, held, room.lease);
            waiting = first;
            flows = true;
            return content;
        }

        private void settle(long needed) {
            if (needed > held) {
                room.lease.extend(needed - held);
            } else {
                room.lease.correct(held, needed);
            }
            held = needed;
        }

        /// What documents take while they are read, by what those of this result and others were like. Those that are
        /// encoded are held besides.
        private long needed(int documents) {
            return copies() * room.size.bytes(documents, Math.max(room.size.one(), read / Math.max(1, count)));
        }

        private long copies() {
            return Size.COPIES - (flows ? 2L : 1L);
        }

        /// What a result that is sent keeps while its client takes a piece: what the next batch takes, unless its
        /// documents are large, since the client may be slow.
        private long kept() {
            return Math.max(
                    Math.min(needed(batch), MOST_KEPT),
                    needed(Objects.requireNonNull(cursor).available()));
        }

        /// Before another batch is fetched, there is memory for it.
        private void makeRoom() {
            long needed = needed(batch);
            LargeReplies.expect(needed / copies());
            if (!flows || needed <= held) {
                settle(Math.max(needed, held));
                return;
            }
            room.lease.correct(held, 0); // the one before is sent: those that wait do not wait for each other
            held = 0;
            LargeReplies.settled();
            room.lease.awaitContinue(needed);
            held = needed;
        }

        private boolean hasNext(MongoCursor<?> cursor) {
            if (count > 0 && cursor.available() == 0) {
                makeRoom();
            }
            return cursor.hasNext();
        }

        @Override
        public ByteBuffer next() {
            if (waiting.hasRemaining()) {
                var next = waiting;
                waiting = NOTHING;
                return next;
            }
            try {
                return ended ? NOTHING : LargeReplies.owned(() -> next(PIECE));
            } catch (MongoException e) { // services that read it cannot tell refusals from faults otherwise
                throw MongoErrors.toProblem(e)
                        .<RuntimeException>map(problem -> problem.raise(e))
                        .orElse(e);
            }
        }

        private ByteBuffer next(int bytes) {
            var cursor = Objects.requireNonNull(this.cursor);
            var out = new Utf8Buffer();
            long before = count;
            long readBefore = read;
            int largest = 0;
            if (!begun) {
                format.begin(out);
                begun = true;
            }
            while (!isFull(out.length(), bytes)) {
                if (!hasNext(cursor)) {
                    format.end(count, out);
                    ended = true;
                    break;
                }
                var document = cursor.next();
                int length = document instanceof RawBsonDocument raw ? raw.getByteLength() : 0;
                read += room.isHeld ? 0 : length;
                largest = Math.max(largest, length);
                if (length > PIECE) {
                    out.reserve(length + length / 8); // a buffer that grows is there twice
                }
                format.document(document, count++, out);
                if (count == 1) {
                    out.reserve((int) Math.min(bytes, expected(cursor.available(), out.length())));
                }
            }
            if (read > readBefore) {
                room.size.saw(read - readBefore, count - before, largest);
            }
            long there = needed(cursor.available()) + Math.max(0, out.length() - PIECE);
            if (flows) { // it exists, whatever was expected
                there = Math.max(there, kept());
                room.lease.correct(held, there);
                held = there;
            }
            return out.toByteBuffer();
        }

        /// Whether what is written is sent before more is: more than usual is sent whole where there is memory for it,
        /// and time.
        private boolean isFull(int length, int usual) {
            if (length < usual) {
                return false;
            }
            if (flows || length >= LARGEST_WHOLE || InlineRead.isBound()) {
                return true;
            }
            if (!isExtended) {
                isExtended = room.lease.tryHold(LARGEST_WHOLE);
                held += isExtended ? LARGEST_WHOLE : 0;
            }
            return !isExtended;
        }

        /// Estimates the size from the first document, so that the buffer rarely grows.
        private static long expected(long others, int first) {
            return others * (first + first / 8) + first / 8;
        }

        @Override
        public void close() {
            waiting = NOTHING;
            if (cursor != null) {
                cursor.close();
            }
            room.lease.correct(held, 0);
            held = 0;
        }
    }
}
