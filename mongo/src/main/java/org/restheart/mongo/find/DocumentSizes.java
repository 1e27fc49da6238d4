package org.restheart.mongo.find;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
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

    private final ToIntFunction<MongoNamespace> averages;

    private record Key(MongoNamespace namespace, String what) {}

    /// @param averages the average size of a collection's documents, asked for where nothing is known; 0 for
    ///     an empty one, less for unknown
    public DocumentSizes(ToIntFunction<MongoNamespace> averages) {
        this.averages = averages;
    }

    public Size of(MongoNamespace collection) {
        return of(collection, "");
    }

    /// Of results that have another size, such as those of an aggregation. Before the first one they are
    /// expected to be as large as the documents.
    public Size of(MongoNamespace collection, String what) {
        return sizes.get(new Key(collection, what), _ -> new Size(() -> averages.applyAsInt(collection)));
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

        /// With how many smaller results a large one is half forgotten, about.
        private static final int MEMORY = 64;

        /// What a read takes of which nothing is known; more if its reply is larger.
        public static final long UNKNOWN_READ = Math.min(16 << 20, MemoryBudget.Part.DATA.bytes() / 8);

        /// Reads at a time of which nothing is known.
        private static final Semaphore UNKNOWN_READS =
                new Semaphore((int) Math.max(1, Runtime.getRuntime().maxMemory() >> 28), true);

        /// How long it takes until MongoDB is asked again, in nanoseconds.
        private static final long MEASURED_EACH = TimeUnit.SECONDS.toNanos(1);

        private final IntSupplier measured;

        /// Guarded by this.
        private Optional<Long> measuredAt = Optional.empty();

        /// 0 while nothing is known.
        private volatile int average;

        /// The largest of late.
        private volatile int largest;

        /// Of which nothing can be asked.
        public Size() {
            this(() -> -1);
        }

        private Size(IntSupplier measured) {
            this.measured = measured;
        }

        /// Runs a read. A few run while nothing is known of the documents; for others, and after one that has
        /// found none, MongoDB is asked how large they are on average. What the read receives counts until its
        /// end ([LargeReplies]).
        ///
        /// @param read takes memory by what is known then, and has memory for all that it has read at its end
        public <T> T reading(Supplier<T> read) {
            if (isKnown()) {
                return LargeReplies.owned(read);
            }
            InlineRead.forbid();
            boolean hasPlace = UNKNOWN_READS.tryAcquire();
            try {
                if (!hasPlace) {
                    measure();
                }
                var result = LargeReplies.owned(read);
                measure();
                return result;
            } finally {
                if (hasPlace) {
                    UNKNOWN_READS.release();
                }
            }
        }

        private synchronized void measure() {
            long now = System.nanoTime();
            if (!isKnown() && measuredAt.filter(at -> now - at < MEASURED_EACH).isEmpty()) {
                measuredAt = Optional.of(now);
                int size = measured.getAsInt();
                average = size == 0 ? UNKNOWN : Math.max(0, size);
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
        public int batch(int most) {
            return Math.clamp(BATCH / one(), 1, most);
        }

        /// The expected bytes of a batch.
        public long bytes(int batch) {
            return bytes(batch, one());
        }

        /// @param one bytes of one document, but for one that is as large as the largest of late
        public long bytes(int batch, long one) {
            return batch == 0 ? 0 : Math.min((batch - 1L) * one + Math.max(one, largest), Math.max(MAX_REPLY, one));
        }

        /// The memory for reading and encoding a batch, which the caller takes.
        public long reading(int batch) {
            long needed = isKnown() ? COPIES * bytes(batch) : Math.max(UNKNOWN_READ, COPIES * bytes(batch));
            LargeReplies.expect(needed / COPIES);
            return needed;
        }

        /// @param bytes of these documents together; none tell nothing
        public void saw(long bytes, long documents) {
            if (documents > 0) {
                saw(bytes, documents, (int) (bytes / documents));
            }
        }

        /// @param most of one of them
        public void saw(long bytes, long documents, int most) {
            int before = average;
            int now = (int) Math.max(1, bytes / documents);
            average = before == 0 ? now : Math.max(1, before + (now - before) / WEIGHT);
            int largestBefore = largest;
            largest = Math.max(most, largestBefore - largestBefore / MEMORY);
        }
    }
}
