package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/// Index keys at known positions of a query's result, which are moved by inserts and deletes, with the time up to which
/// all changes have been applied. Bounded in memory. Thread-safe.
final class Bookmarks {
    /// How long after a request had to wait another one is expected to wait.
    private static final Duration RECENT_WAIT = Duration.ofSeconds(2);

    /// The percentage of inserted and deleted documents after which bookmarks are set anew.
    private static final int MOVED_PERCENT = 5;

    private static final int MOVED_LEAST = 1_000;

    /// A key of the index and the number of the query's documents before it.
    ///
    /// @param position number of documents before the key
    /// @param key the page begins at it or, against the order of the index, below it
    /// @param index its index among all
    /// @param version the number of changes that had moved it at look-up
    record Bookmark(long position, RawBsonDocument key, int index, long version) {
        /// The memory of an entry without the bytes of its key: objects and the node of the map.
        private static final int OVERHEAD = 144;

        /// One that is not moved by changes.
        Bookmark(long position, RawBsonDocument key) {
            this(position, key, 0, 0);
        }

        /// In memory.
        long bytes() {
            return (long) key.getByteBuffer().remaining() + OVERHEAD;
        }
    }

    private final SortIndex index;
    private final long setAt;
    private final List<Bookmark> bookmarks;
    private final List<BsonValue> ids;
    private final int direction;
    private final long bytes;

    @GuardedBy("this")
    private final FenwickTree positions;

    @GuardedBy("this")
    private final FenwickTree moves;

    @GuardedBy("this")
    private long changes;

    @GuardedBy("this")
    private BsonTimestamp known = new BsonTimestamp(0, 0);

    @GuardedBy("this")
    private boolean ended;

    private volatile long awaitedAt = System.nanoTime() - RECENT_WAIT.toNanos();

    /// @param bookmarks by position
    /// @param setAt in [System#nanoTime()]
    Bookmarks(SortIndex index, List<Bookmark> bookmarks, BsonDocument sort, long setAt) {
        this.index = index;
        this.setAt = setAt;
        this.bookmarks = List.copyOf(bookmarks);
        this.ids = bookmarks.stream()
                .map(bookmark -> bookmark.key().get("_id", BsonNull.VALUE))
                .toList();
        this.positions =
                new FenwickTree(bookmarks.stream().map(Bookmark::position).toList());
        this.moves = new FenwickTree(Collections.nCopies(bookmarks.size(), 0L));
        this.bytes = bookmarks.stream().mapToLong(Bookmark::bytes).sum();
        this.direction = SortIndex.direction(sort.get("_id", BsonNull.VALUE));
    }

    SortIndex index() {
        return index;
    }

    /// In [System#nanoTime()].
    long setAt() {
        return setAt;
    }

    /// The last one at or before the position.
    synchronized Optional<Bookmark> nearest(long position) {
        int found = positions.last(position);
        return found < 0
                ? Optional.empty()
                : Optional.of(new Bookmark(
                        positions.position(found), bookmarks.get(found).key(), found, moves.position(found)));
    }

    /// The validity of a bookmark at a time after its look-up.
    enum State {
        /// It was valid until then.
        VALID,
        /// A document before it was inserted or deleted.
        MOVED,
        /// Unknown until more changes are applied.
        PENDING,
        /// Changes are no longer applied.
        ENDED
    }

    synchronized State check(Bookmark bookmark, BsonTimestamp moment) {
        if (ended) {
            return State.ENDED;
        }
        if (known.compareTo(moment) < 0) {
            return State.PENDING;
        }
        return moves.position(bookmark.index()) == bookmark.version() ? State.VALID : State.MOVED;
    }

    /// As [#check], but waits until it is known, at most for `limit`.
    synchronized State await(Bookmark bookmark, BsonTimestamp moment, Duration limit) {
        long start = System.nanoTime();
        var state = check(bookmark, moment);
        while (state == State.PENDING) {
            awaitedAt = System.nanoTime();
            long left = limit.toNanos() - (awaitedAt - start);
            if (left <= 0) {
                return state;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return state;
            }
            state = check(bookmark, moment);
        }
        return state;
    }

    /// Whether a request has recently waited for changes.
    boolean isAwaited() {
        return System.nanoTime() - awaitedAt < RECENT_WAIT.toNanos();
    }

    /// Declares that all changes up to and including the time have been applied.
    synchronized void advanceTo(BsonTimestamp moment) {
        if (moment.compareTo(known) > 0) {
            known = moment;
            notifyAll();
        }
    }

    /// Changes are no longer applied.
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /// Whether pages may still be read from them.
    synchronized boolean isUsable() {
        return !ended;
    }

    /// False if so many documents were inserted or deleted that the bookmarks are unevenly spread.
    synchronized boolean isFresh() {
        long documents = bookmarks.isEmpty() ? 0 : positions.position(bookmarks.size() - 1);
        return changes <= Math.max(MOVED_LEAST, documents / 100 * MOVED_PERCENT);
    }

    int size() {
        return bookmarks.size();
    }

    /// In memory.
    long bytes() {
        return bytes;
    }

    /// @param by 1 for an inserted document, -1 for a deleted one
    /// @return whether the order of the id is known; if not, the positions are no longer valid
    synchronized boolean count(BsonValue id, int by) {
        if (!BsonOrder.knows(id)) {
            return false;
        }
        int from = 0;
        int to = bookmarks.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            var boundary = ids.get(middle);
            if (!BsonOrder.knows(boundary)) {
                return false;
            }
            if (isBefore(id, boundary)) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        if (from < bookmarks.size()) {
            positions.shift(from, by);
            moves.shift(from, 1);
        }
        changes++;
        return true;
    }

    /// Against the index, a range begins below the key: the document with the key comes before it.
    private boolean isBefore(BsonValue id, BsonValue boundary) {
        int order = direction * BsonOrder.compare(id, boundary);
        return order < 0 || (order == 0 && index.reverse());
    }

    /// Ascending positions that can be shifted from a given one on, in logarithmic time: a Fenwick tree over the
    /// distances between them. Not thread-safe.
    private static final class FenwickTree {
        private final long[] tree;

        /// @param positions in ascending order
        FenwickTree(List<Long> positions) {
            tree = new long[positions.size() + 1];
            long before = 0;
            for (int i = 0; i < positions.size(); i++) {
                shift(i, positions.get(i) - before);
                before = positions.get(i);
            }
        }

        /// Shifts the positions from this index on.
        void shift(int index, long by) {
            for (int i = index + 1; i < tree.length; i += i & -i) {
                tree[i] += by;
            }
        }

        /// The index of the last position that is at most this; -1 if there is none.
        int last(long position) {
            int index = 0;
            long left = position;
            for (int step = Integer.highestOneBit(Math.max(1, tree.length)); step > 0; step >>= 1) {
                if (index + step < tree.length && tree[index + step] <= left) {
                    index += step;
                    left -= tree[index];
                }
            }
            return index - 1;
        }

        long position(int index) {
            long sum = 0;
            for (int i = index + 1; i > 0; i -= i & -i) {
                sum += tree[i];
            }
            return sum;
        }
    }

    /// MongoDB's order of values (MongoDB manual, "Comparison/Sort Order"), for the usual types of ids.
    static final class BsonOrder {
        private BsonOrder() {}

        /// Whether [#compare] supports the value.
        static boolean knows(BsonValue value) {
            return rank(value) >= 0
                    && (!value.isDocument()
                            || value.asDocument().values().stream().allMatch(BsonOrder::knows));
        }

        /// @return negative, zero or positive
        static int compare(BsonValue a, BsonValue b) {
            int byType = Integer.compare(rank(a), rank(b));
            if (byType != 0) {
                return byType;
            }
            return switch (a.getBsonType()) {
                case INT32, INT64, DOUBLE -> numbers(a, b);
                case STRING ->
                    Arrays.compareUnsigned(
                            utf8(a.asString().getValue()), utf8(b.asString().getValue()));
                case DOCUMENT -> documents(a.asDocument(), b.asDocument());
                case BINARY -> binaries(a, b);
                case OBJECT_ID ->
                    a.asObjectId().getValue().compareTo(b.asObjectId().getValue());
                case BOOLEAN -> a.asBoolean().compareTo(b.asBoolean());
                case DATE_TIME -> a.asDateTime().compareTo(b.asDateTime());
                default -> 0;
            };
        }

        private static byte[] utf8(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        private static int rank(BsonValue value) {
            return switch (value.getBsonType()) {
                case MIN_KEY -> 0;
                case NULL -> 1;
                case INT32, INT64, DOUBLE -> 2;
                case STRING -> 3;
                case DOCUMENT -> 4;
                case BINARY -> 5;
                case OBJECT_ID -> 6;
                case BOOLEAN -> 7;
                case DATE_TIME -> 8;
                case MAX_KEY -> 9;
                default -> -1;
            };
        }

        private static int numbers(BsonValue a, BsonValue b) {
            if (!a.isDouble() && !b.isDouble()) {
                return Long.compare(a.asNumber().longValue(), b.asNumber().longValue());
            }
            double x = a.asNumber().doubleValue();
            double y = b.asNumber().doubleValue();
            if (Double.isFinite(x) && Double.isFinite(y)) {
                return exact(a).compareTo(exact(b));
            }
            if (Double.isNaN(x) || Double.isNaN(y)) { // before all other numbers
                return Boolean.compare(Double.isNaN(y), Double.isNaN(x));
            }
            return Double.compare(x, y);
        }

        /// A double cannot represent every long.
        private static BigDecimal exact(BsonValue number) {
            return number.isDouble()
                    ? new BigDecimal(number.asDouble().getValue())
                    : BigDecimal.valueOf(number.asNumber().longValue());
        }

        private static int binaries(BsonValue a, BsonValue b) {
            var x = a.asBinary();
            var y = b.asBinary();
            int byLength = Integer.compare(x.getData().length, y.getData().length);
            if (byLength != 0) {
                return byLength;
            }
            int byType = Integer.compare(x.getType() & 0xff, y.getType() & 0xff);
            return byType != 0 ? byType : Arrays.compareUnsigned(x.getData(), y.getData());
        }

        private static int documents(BsonDocument a, BsonDocument b) {
            var fields = a.entrySet().iterator();
            var others = b.entrySet().iterator();
            while (fields.hasNext() && others.hasNext()) {
                var x = fields.next();
                var y = others.next();
                int order = Integer.compare(rank(x.getValue()), rank(y.getValue()));
                if (order == 0) {
                    order = Arrays.compareUnsigned(utf8(x.getKey()), utf8(y.getKey()));
                }
                if (order == 0) {
                    order = compare(x.getValue(), y.getValue());
                }
                if (order != 0) {
                    return order;
                }
            }
            return Boolean.compare(fields.hasNext(), others.hasNext());
        }
    }
}
