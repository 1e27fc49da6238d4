package org.restheart.mongo.file;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores content as chunks that are not visible until a file with their id exists. Confined to one request.
final class ChunkWriter extends OutputStream {
    /// The driver's default.
    static final int CHUNK_SIZE = 255 * 1024;

    /// Larger commands are not faster.
    private static final int BATCH = 4;

    private static final Logger LOG = LoggerFactory.getLogger(ChunkWriter.class);

    private final Chunks chunks;
    private final BsonValue file;
    private final List<BsonObjectId> written = new ArrayList<>();
    private final List<BsonDocument> batch = new ArrayList<>();
    private byte[] buffer = new byte[CHUNK_SIZE];
    private byte[] begin = {};
    private int filled;
    private long length;

    ChunkWriter(Chunks chunks, BsonValue file) {
        this.chunks = chunks;
        this.file = file;
    }

    BsonValue file() {
        return file;
    }

    long length() {
        return length;
    }

    /// The first bytes, from which the media type can be guessed.
    byte[] begin() {
        return begin;
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
        if (written.isEmpty() && batch.isEmpty()) {
            begin = Arrays.copyOf(buffer, Math.min(filled, MediaTypes.SIGNIFICANT));
        }
        batch.add(new BsonDocument("_id", new BsonObjectId())
                .append("files_id", file)
                .append("n", new BsonInt32(written.size() + batch.size()))
                .append("data", new BsonBinary(buffer)));
        buffer = new byte[CHUNK_SIZE];
        filled = 0;
        if (batch.size() == BATCH) {
            store();
        }
    }

    private void store() {
        boolean first = written.isEmpty();
        batch.forEach(chunk -> written.add(chunk.getObjectId("_id")));
        try {
            chunks.insert(batch);
        } catch (MongoBulkWriteException e) {
            if (e.getWriteErrors().stream().noneMatch(error -> error.getCode() == 11000)) {
                throw e;
            }
            if (!first || !chunks.reclaim(file)) {
                throw Problem.of(ProblemCode.CONFLICT, "another upload of this file is under way; try again")
                        .raise();
            }
            chunks.insert(batch);
        }
        batch.clear();
    }

    /// Stores the remaining bytes.
    void finish() {
        if (filled > 0) {
            buffer = Arrays.copyOf(buffer, filled);
            endChunk();
        }
        if (!batch.isEmpty()) {
            store();
        }
    }

    /// Removes the stored chunks.
    void abort() {
        try {
            chunks.delete(file, written);
        } catch (MongoException e) {
            LOG.warn("chunks of an upload that failed could not be removed", e);
        }
    }
}
