package org.restheart.mongo.file;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ByteRanges.Slice;
import org.restheart.http.Content;

/// The bytes of a file, or slices of them, read while they are sent. All bytes are of one version: a snapshot
/// session is used as long as MongoDB keeps the snapshot; afterwards each batch is valid only if the file still has
/// the same first chunk, which differs in every version. Confined to one response.
final class FileContent implements Content.Source {
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    /// `SnapshotTooOld`, `SnapshotUnavailable`.
    private static final List<Integer> FORGOTTEN = List.of(239, 246);

    /// Bytes that are read at once, and are in memory while a client takes its time: one chunk of the
    /// usual size.
    private static final int BATCH_BYTES = 256 << 10;

    /// Of chunks that are much smaller, since each is several objects.
    private static final int MOST_CHUNKS = 256;

    /// A part of the content to send.
    static final class Piece {
        private final byte[] bytes;
        private final Slice slice;

        /// @param bytes before the slice
        Piece(byte[] bytes, Slice slice) {
            this.bytes = bytes;
            this.slice = slice;
        }

        byte[] bytes() {
            return bytes;
        }

        Slice slice() {
            return slice;
        }
    }

    private final Chunks chunks;
    private @Nullable ClientSession session;
    private final Described file;
    private final Optional<BsonValue> version;
    private final Deque<Piece> pieces;
    private final Deque<BsonDocument> batch = new ArrayDeque<>();
    private long at = -1;

    /// The properties of the file that are needed to read it.
    ///
    /// @param id the file's
    record Described(BsonValue id, long length, int chunkSize) {
        /// Bytes that are in memory while the content is sent, about.
        long held() {
            return Math.min(length, Math.max(BATCH_BYTES, chunkSize));
        }
    }

    /// @param session closed with this; null without snapshots
    FileContent(Chunks chunks, @Nullable ClientSession session, Described file, List<Piece> pieces) {
        this.chunks = chunks;
        this.session = session;
        this.file = file;
        this.pieces = new ArrayDeque<>(pieces);
        this.version = chunks.first(session, file.id());
    }

    @Override
    public ByteBuffer next() throws IOException {
        while (!pieces.isEmpty()) {
            var piece = pieces.peek();
            if (at < 0) {
                at = piece.slice().from();
                batch.clear();
                if (piece.bytes().length > 0) {
                    return ByteBuffer.wrap(piece.bytes());
                }
            }
            if (at < piece.slice().to()) {
                return data(piece.slice());
            }
            pieces.remove();
            at = -1;
        }
        return END;
    }

    private ByteBuffer data(Slice slice) throws IOException {
        long n = at / file.chunkSize();
        if (batch.isEmpty()) {
            long wanted = (slice.to() - 1) / file.chunkSize() - n + 1;
            batch.addAll(read(n, (int) Math.min(wanted, Math.clamp(BATCH_BYTES / file.chunkSize(), 1, MOST_CHUNKS))));
        }
        var chunk = batch.poll();
        long start = n * file.chunkSize();
        if (chunk == null || chunk.getNumber("n").longValue() != n) {
            throw new IOException("a chunk of the file is missing");
        }
        var data = chunk.getBinary("data").getData();
        if (data.length != Math.min(file.chunkSize(), file.length() - start)) {
            throw new IOException("a chunk of the file has the wrong size");
        }
        int from = (int) (at - start);
        int to = (int) Math.min(data.length, slice.to() - start);
        at = start + to;
        return ByteBuffer.wrap(data, from, to - from).slice();
    }

    private List<BsonDocument> read(long from, int count) throws IOException {
        if (session != null) {
            try {
                return chunks.read(session, file.id(), from, count);
            } catch (MongoCommandException e) {
                if (!FORGOTTEN.contains(e.getErrorCode())) {
                    throw e;
                }
                close();
            }
        }
        var read = chunks.read(null, file.id(), from, count);
        if (!chunks.first(null, file.id()).equals(version)) {
            throw new IOException("the file has been replaced or deleted");
        }
        return read;
    }

    @Override
    public void close() {
        if (session != null) {
            session.close();
            session = null;
        }
    }
}
