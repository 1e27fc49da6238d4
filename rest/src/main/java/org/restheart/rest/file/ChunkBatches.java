package org.restheart.rest.file;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.restheart.http.access.CallerScope;
import org.restheart.rest.file.RecentContent.ChunkSource;

/// Reads the chunks of a file in batches. All chunks are of one version: a snapshot session is used as long as
/// MongoDB keeps the snapshot; afterwards each batch is valid only if the file still has the same first chunk,
/// which differs in every version.
///
/// If the memory for reading ahead allows it, a small file is read at once, and larger ones in batches, the next of
/// which is read while the last one is sent, unless the client is slow. Otherwise there is one small batch in memory.
/// Confined to one response.
final class ChunkBatches implements ChunkSource {
    /// Bytes that are read at once for any client: one chunk of the usual size.
    static final int SMALL = 256 << 10;

    /// Bytes that are read at once for a client that takes them quickly. Larger replies are not faster.
    private static final int LARGE = 1 << 20;

    /// Bytes of which all are read at once: each command costs as much as some hundred KiB.
    static final int WHOLE = 4 << 20;

    /// The most chunks in a batch. It applies to chunks that are much smaller than usual, since each is several
    /// objects.
    private static final int MOST_CHUNKS = 256;

    /// If a client needs longer than this to receive a batch, reading ahead would not make it faster.
    private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();

    /// The codes of `SnapshotTooOld` and `SnapshotUnavailable`: MongoDB no longer keeps the snapshot.
    private static final List<Integer> FORGOTTEN = List.of(239, 246);

    private final Chunks chunks;
    private final Described file;
    private final Lease lease;
    private final Consumer<List<BsonDocument>> whole;

    private final Deque<BsonDocument> batch = new ArrayDeque<>();
    private long sentSince;
    private @Nullable Lease share;
    private long shared;
    private @Nullable CompletableFuture<List<BsonDocument>> ahead;

    /// While a thread reads ahead, this field and the next one are used by that thread alone.
    private @Nullable ClientSession session;

    private Optional<BsonValue> version;

    /// The properties of the file that are needed to read it.
    ///
    /// @param id the file's
    record Described(BsonValue id, long length, int chunkSize) {
        /// Bytes that are in memory while the content is sent, about; without those that are read ahead.
        long held() {
            return Math.min(length, Math.max(SMALL, chunkSize));
        }

        /// Whether a chunk has this number and the size that it needs.
        boolean isChunk(BsonDocument chunk, long n) {
            return chunk.getNumber("n").longValue() == n
                    && chunk.getBinary("data").getData().length == Math.min(chunkSize, length - n * chunkSize);
        }
    }

    /// @param session closed with this; null without snapshots
    /// @param version the id of the first chunk; not needed with a session
    /// @param whole takes the chunks if all are read at once
    ChunkBatches(
            Chunks chunks,
            @Nullable ClientSession session,
            Optional<BsonValue> version,
            Described file,
            Lease lease,
            Consumer<List<BsonDocument>> whole) {
        this.chunks = chunks;
        this.session = session;
        this.file = file;
        this.lease = lease;
        this.whole = whole;
        this.version = version;
    }

    @Override
    public long held() {
        return file.held();
    }

    @Override
    public @Nullable BsonDocument next(long n, long last) throws IOException {
        if (batch.isEmpty()) {
            boolean atOnce =
                    sentSince == 0 && isWhole(n, last) && tryHold(2 * bytes(n, last)); // the driver's buffer too
            boolean large = !atOnce && n < last && tryReadAhead();
            batch.addAll(
                    ahead != null
                            ? arrived()
                            : read(n, atOnce ? (int) (last - n + 1) : count(large ? LARGE : SMALL, n, last)));
            long following = n + batch.size();
            if (large && !batch.isEmpty() && following <= last) {
                readAhead(following, count(LARGE, following, last));
            }
            if (n == 0 && bytes(0, following - 1) == file.length()) {
                whole.accept(List.copyOf(batch));
            }
            sentSince = System.nanoTime();
        }
        return batch.poll();
    }

    private boolean isWhole(long from, long last) {
        return last > from && last - from < MOST_CHUNKS && bytes(from, last) <= WHOLE;
    }

    private long bytes(long from, long last) {
        return Math.min(file.length(), (last + 1) * file.chunkSize()) - from * file.chunkSize();
    }

    private int count(int bytes, long from, long last) {
        return (int) Math.min(last - from + 1, Math.clamp(bytes / file.chunkSize(), 1, MOST_CHUNKS));
    }

    /// Takes the memory of a batch that is sent and one that is read; gives it back if the client is slow.
    private boolean tryReadAhead() {
        if (sentSince != 0 && System.nanoTime() - sentSince > SLOW_NANOS) {
            release();
            return false;
        }
        return tryHold(2L * Math.max(LARGE, file.chunkSize()));
    }

    /// Takes memory, unless as much is held already; gives back what is held if it is too little.
    private boolean tryHold(long bytes) {
        if (share != null && shared >= bytes) {
            return true;
        }
        release();
        var taken = lease.another(List.of(CallerScope.current()));
        if (!taken.tryHold(bytes)) {
            taken.close();
            return false;
        }
        share = taken;
        shared = bytes;
        return true;
    }

    private void release() {
        if (share != null) {
            share.close();
            share = null;
        }
    }

    private void readAhead(long from, int count) {
        var result = new CompletableFuture<List<BsonDocument>>();
        ahead = result;
        Thread.ofVirtual().name("read-ahead").start(CallerScope.carried(() -> {
            try {
                result.complete(read(from, count));
            } catch (Throwable e) { // to the thread that waits for it
                result.completeExceptionally(e);
            }
        }));
    }

    private List<BsonDocument> arrived() throws IOException {
        try {
            return Objects.requireNonNull(ahead).join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case IOException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case null, default -> throw e;
            }
        } finally {
            ahead = null;
        }
    }

    private List<BsonDocument> read(long from, int count) throws IOException {
        if (session != null) {
            try {
                var read = chunks.read(session, file.id(), from, count);
                if (version.isEmpty()) {
                    version = from == 0 && !read.isEmpty()
                            ? Optional.ofNullable(read.getFirst().get("_id"))
                            : chunks.first(session, file.id());
                }
                return read;
            } catch (MongoCommandException e) {
                if (!FORGOTTEN.contains(e.getErrorCode())) {
                    throw e;
                }
                closeSession();
            }
        }
        var read = chunks.read(null, file.id(), from, count);
        if (!chunks.first(null, file.id()).equals(version)) {
            throw new IOException("the file has been replaced or deleted");
        }
        return read;
    }

    private void closeSession() {
        if (session != null) {
            session.close();
            session = null;
        }
    }

    /// Does not wait for a batch that is being read.
    @Override
    public void close() {
        if (ahead == null) {
            end();
        } else {
            var _ = ahead.whenComplete((_, _) -> end());
        }
    }

    private void end() {
        closeSession();
        release();
    }
}
