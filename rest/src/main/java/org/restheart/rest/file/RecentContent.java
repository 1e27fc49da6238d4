package org.restheart.rest.file;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoNamespace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Digests;
import org.restheart.http.Lease;
import org.restheart.http.access.CallerScope;
import org.restheart.rest.file.ChunkBatches.Described;

/// The content of small files that are downloaded again and again, by the documents of the files: the document is read
/// for each download, and its tag and its time of upload differ in every version of the content. On two cores, 16
/// connections get a file of 100 kB 2,000 times a second instead of 750. Thread-safe.
final class RecentContent {
    /// How long content is kept, since programs that repair chunks may leave the document as it is, and how soon a
    /// second download shows that content is wanted again.
    private static final Duration AGE = Duration.ofMinutes(1);

    private static final int MOST_FILES = 10_000;

    /// Of a file, besides its bytes.
    private static final int OVERHEAD = 2 << 10;

    private final Cache<Key, List<BsonDocument>> contents;

    /// Files that were downloaded once: content that is not requested again only displaces other content.
    private final Cache<Key, Boolean> seen;

    private final long largest;

    /// A version of a file. Documents may be large, and views of larger replies, so that their digests are kept.
    ///
    /// @param digest of the document
    record Key(MongoNamespace namespace, ByteBuffer digest) {
        /// @param file the document, with all fields
        static Key of(MongoNamespace namespace, RawBsonDocument file) {
            var sha256 = Digests.sha256();
            sha256.update(file.getBackingArray(), file.getByteOffset(), file.getByteLength());
            return new Key(namespace, ByteBuffer.wrap(sha256.digest()));
        }
    }

    /// @param bytes of all content
    RecentContent(long bytes) {
        this.largest = Math.min(ChunkBatches.WHOLE, bytes / 8);
        this.contents = Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher((Key _, List<BsonDocument> chunks) -> weight(chunks))
                .expireAfterWrite(AGE)
                .build();
        this.seen = Caffeine.newBuilder()
                .maximumSize(MOST_FILES)
                .expireAfterAccess(AGE)
                .build();
    }

    private static int weight(List<BsonDocument> chunks) {
        int sum = OVERHEAD;
        for (var chunk : chunks) {
            sum += chunk.getBinary("data").getData().length;
        }
        return sum;
    }

    /// Keeps the content of a small file that is downloaded for the second time.
    void offer(Key key, Described file, List<BsonDocument> chunks) {
        if (file.length() <= largest && isWhole(file, chunks) && seen.asMap().put(key, true) != null) {
            contents.put(key, List.copyOf(chunks));
        }
    }

    private static boolean isWhole(Described file, List<BsonDocument> chunks) {
        if (chunks.size() != Math.ceilDiv(file.length(), file.chunkSize())) {
            return false;
        }
        for (int n = 0; n < chunks.size(); n++) {
            if (!file.isChunk(chunks.get(n), n)) {
                return false;
            }
        }
        return true;
    }

    /// The kept chunks of a file for one response; null if there are none, or the memory for them is used up: a client
    /// that takes its time holds them even when they are no longer kept.
    @Nullable
    ChunkSource source(Key key, Lease lease) {
        var chunks = contents.getIfPresent(key);
        if (chunks == null) {
            return null;
        }
        var share = lease.another(List.of(CallerScope.current()));
        if (!share.tryHold(weight(chunks))) {
            share.close();
            return null;
        }
        return new ChunkSource() {
            @Override
            public @Nullable BsonDocument next(long n, long last) {
                return n < chunks.size() ? chunks.get((int) n) : null;
            }

            @Override
            public long held() {
                return weight(chunks);
            }

            @Override
            public void close() {
                share.close();
            }
        };
    }

    /// Gives the chunks of one file. Confined to one response.
    interface ChunkSource extends AutoCloseable {
        /// The next chunk. May block.
        ///
        /// @param n its number: the successor of the last one's or, after `last`, any
        /// @param last the number of the last chunk that will be asked for in this order
        /// @return null if there is none
        /// @throws IOException if the chunks are of another version
        @Nullable
        BsonDocument next(long n, long last) throws IOException;

        /// The bytes in memory while the response is sent.
        long held();

        /// Does not wait.
        @Override
        void close();
    }
}
