package org.restheart.mongo.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.restheart.http.ByteRanges.Slice;
import org.restheart.http.Content;
import org.restheart.mongo.file.ChunkBatches.Described;
import org.restheart.mongo.file.RecentContent.ChunkSource;

/// The bytes of a file, or slices of them, read while they are sent. Confined to one response.
final class FileContent implements Content.Source {
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    /// A part of the content to send.
    ///
    /// @param bytes before the slice
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Piece(byte[] bytes, Slice slice) {}

    private final Described file;
    private final ChunkSource chunks;
    private final Deque<Piece> pieces;
    private long at = -1;

    FileContent(Described file, ChunkSource chunks, List<Piece> pieces) {
        this.file = file;
        this.chunks = chunks;
        this.pieces = new ArrayDeque<>(pieces);
    }

    @Override
    public ByteBuffer next() throws IOException {
        while (!pieces.isEmpty()) {
            var piece = pieces.peek();
            if (at < 0) {
                at = piece.slice().from();
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
        var chunk = chunks.next(n, (slice.to() - 1) / file.chunkSize());
        long start = n * file.chunkSize();
        if (chunk == null || !file.isChunk(chunk, n)) {
            throw new IOException("a chunk of the file is missing or has the wrong size");
        }
        var data = chunk.getBinary("data").getData();
        int from = (int) (at - start);
        int to = (int) Math.min(data.length, slice.to() - start);
        at = start + to;
        return ByteBuffer.wrap(data, from, to - from).slice();
    }

    @Override
    public void close() {
        chunks.close();
    }
}
