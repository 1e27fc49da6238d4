package org.restheart.mongo.find;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.restheart.http.MemoryBudget;

/// How large the documents of each collection were, so that the memory for a read is taken before it is sent, and a
/// batch has a size in bytes: it is in memory until the client has received it. Thread-safe.
public final class DocumentSizes {
    private static final int MAX_COLLECTIONS = 10_000;
    private static final Duration KEPT = Duration.ofHours(1);

    /// Bytes of a batch of documents; MongoDB's own bound is 16 MiB. In a small heap less, so that many fit.
    private static final long BATCH = Math.clamp(MemoryBudget.Part.DATA.bytes() / 64, 256 << 10, 4 << 20);

    private final Cache<Key, Size> sizes = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_COLLECTIONS)
            .expireAfterAccess(KEPT)
            .build();

    private record Key(MongoNamespace namespace, String what) {}

    /// Of a collection's documents.
    public Size of(MongoNamespace collection) {
        return of(collection, "");
    }

    /// Of results that have another size, such as those of an aggregation.
    public Size of(MongoNamespace collection, String what) {
        return sizes.get(new Key(collection, what), _ -> new Size());
    }

    /// What is known of documents: a moving average. Thread-safe; updates may be lost.
    public static final class Size {
        /// How often documents are in memory while they are read and encoded: MongoDB's reply in a buffer of up to
        /// twice its size, decoded, encoded.
        public static final int COPIES = 4;

        /// Of documents of which nothing is known.
        private static final int UNKNOWN = 16 << 10;

        /// MongoDB's bound of the documents of a reply.
        private static final long MAX_REPLY = 16 << 20;

        /// The part of each new result.
        private static final int WEIGHT = 8;

        /// Reads at a time of which nothing is known: each reply may have 16 MiB, and the driver keeps buffers for as
        /// many for a minute.
        private static final Semaphore UNKNOWN_READS =
                new Semaphore((int) Math.max(2, Runtime.getRuntime().maxMemory() >> 27), true);

        /// 0 while nothing is known.
        private volatile int average;

        /// Runs a read. While nothing is known of the documents, it waits for a few others.
        ///
        /// @param read takes memory by what is known then
        public <T> T reading(Supplier<T> read) {
            if (isKnown()) {
                return read.get();
            }
            InlineRead.forbid();
            UNKNOWN_READS.acquireUninterruptibly();
            try {
                return read.get();
            } finally {
                UNKNOWN_READS.release();
            }
        }

        public boolean isKnown() {
            return average != 0;
        }

        /// The expected bytes of one document.
        public int one() {
            return average == 0 ? UNKNOWN : average;
        }

        /// How many documents are fetched in one batch.
        ///
        /// @param most the largest number
        public int batch(int most) {
            return Math.clamp(BATCH / one(), 1, most);
        }

        /// The expected bytes of a batch.
        public long bytes(int batch) {
            return bytes(batch, one());
        }

        /// @param one bytes of one document
        public static long bytes(int batch, long one) {
            return Math.min(batch * one, Math.max(MAX_REPLY, one));
        }

        /// @param bytes of these documents together
        public void saw(long bytes, long documents) {
            if (documents == 0) {
                average = average == 0 ? UNKNOWN : average;
            } else {
                int before = average;
                int now = (int) Math.max(1, bytes / documents);
                average = before == 0 ? now : Math.max(1, before + (now - before) / WEIGHT);
            }
        }
    }
}
