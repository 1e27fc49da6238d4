package org.restheart.rest.file;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores content as chunks under the id of an upload, until there is a file. Small content stays in memory and is
/// stored together with the file, since MongoDB writes chunks again that are moved. Confined to one request.
final class ChunkWriter extends OutputStream {
    /// The driver's default.
    static final int CHUNK_SIZE = 255 * 1024;

    /// Larger commands are not faster.
    private static final int BATCH = 4;

    /// The most chunks that stay in memory: about 8 MiB.
    private static final int MOST_IN_MEMORY = 32;

    /// A chunk that stays in memory is there twice while it is stored, since it is copied to the command.
    private static final int BYTES_HELD_PER_CHUNK = 2 * CHUNK_SIZE;

    private static final Logger LOG = LoggerFactory.getLogger(ChunkWriter.class);

    private final Chunks chunks;
    private final @Nullable Lease lease;
    private final BsonObjectId upload;
    private final List<BsonObjectId> written = new ArrayList<>();
    private final List<BsonDocument> batch = new ArrayList<>();
    private byte[] buffer = new byte[CHUNK_SIZE];
    private byte[] firstBytes = {};
    private int filled;
    private long length;

    /// @param lease for content that is stored together with the file; null if none is
    ChunkWriter(Chunks chunks, @Nullable Lease lease) {
        this.chunks = chunks;
        this.lease = lease;
        this.upload = Chunks.newUpload();
    }

    /// The id under which the chunks are stored.
    BsonObjectId upload() {
        return upload;
    }

    long length() {
        return length;
    }

    /// The first bytes, from which the media type can be guessed.
    byte[] firstBytes() {
        return firstBytes;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) {
        for (int at = 0; at < count; ) {
            int n = Math.min(count - at, CHUNK_SIZE - filled);
            System.arraycopy(bytes, offset + at, buffer, filled, n);
            filled += n;
            at += n;
            if (filled == CHUNK_SIZE) {
                endChunk();
            }
        }
        length += count;
    }

    private void endChunk() {
        if (batch.size() >= BATCH && !tryKeep()) {
            store();
        }
        if (written.isEmpty() && batch.isEmpty()) {
            firstBytes = Arrays.copyOf(buffer, Math.min(filled, MediaTypes.SIGNIFICANT));
        }
        batch.add(new BsonDocument("_id", new BsonObjectId())
                .append("files_id", upload)
                .append("n", new BsonInt32(written.size() + batch.size()))
                .append("data", new BsonBinary(buffer)));
        buffer = new byte[CHUNK_SIZE];
        filled = 0;
    }

    private boolean tryKeep() {
        return lease != null && isInMemory() && batch.size() < MOST_IN_MEMORY && lease.tryHold(BYTES_HELD_PER_CHUNK);
    }

    /// Call after the last byte.
    void finish() {
        if (filled > 0) {
            buffer = Arrays.copyOf(buffer, filled);
            endChunk();
        }
    }

    void store() {
        if (!batch.isEmpty()) {
            batch.forEach(chunk -> written.add(chunk.getObjectId("_id")));
            chunks.insert(batch);
            batch.clear();
            if (lease != null) { // nothing of this upload stays in memory any more
                lease.close();
            }
        }
    }

    boolean isInMemory() {
        return written.isEmpty();
    }

    /// Makes the chunks those of a file. May be repeated in another transaction.
    void storeAs(ClientSession session, BsonValue file) {
        if (!written.isEmpty()) {
            chunks.move(session, upload, file);
        } else if (!batch.isEmpty()) {
            batch.forEach(chunk -> chunk.put("files_id", file));
            chunks.insert(session, batch);
        }
    }

    /// Whether what was stored while the content arrived is still there: a bucket may be dropped meanwhile.
    boolean isComplete() {
        return written.isEmpty() || chunks.count(upload) == written.size();
    }

    /// Removes the stored chunks.
    void abort() {
        try {
            chunks.delete(upload, written);
        } catch (MongoException e) {
            LOG.warn("chunks of an upload that failed could not be removed", e);
        }
    }
}
