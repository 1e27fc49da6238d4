package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/// Bookmarks by `_id` that move as documents are inserted and deleted. Thread-safe.
final class LiveBookmarks {
    /// How long after somebody had to wait the next one is expected.
    private static final Duration HURRY = Duration.ofSeconds(2);

    /// When so many documents of hundred are new or gone, bookmarks are no more where they were wanted.
    private static final int WORN_PERCENT = 5;

    private static final int WORN_LEAST = 1_000;

    private final SortIndex index;
    private final List<Bookmark> bookmarks;
    private final List<BsonValue> ids;
    private final long setAt;
    private final int direction;
    private final long bytes;
    private final Sums positions; // guarded by this
    private final Sums moves; // guarded by this
    private long changes; // guarded by this
    private BsonTimestamp known = new BsonTimestamp(0, 0); // guarded by this
    private boolean over; // guarded by this
    private volatile long awaitedAt = System.nanoTime() - HURRY.toNanos();

    /// @param bookmarks by position
    /// @param setAt in [System#nanoTime()]
    LiveBookmarks(SortIndex index, List<Bookmark> bookmarks, BsonDocument sort, long setAt) {
        this.index = index;
        this.bookmarks = List.copyOf(bookmarks);
        this.ids = bookmarks.stream()
                .map(bookmark -> bookmark.key().get("_id", BsonNull.VALUE))
                .toList();
        this.positions = new Sums(bookmarks.stream().map(Bookmark::position).toList());
        this.moves = new Sums(Collections.nCopies(bookmarks.size(), 0L));
        this.setAt = setAt;
        this.bytes = bookmarks.stream().mapToLong(Bookmark::bytes).sum();
        this.direction = SortIndex.direction(sort.get("_id", BsonNull.VALUE));
    }

    SortIndex index() {
        return index;
    }

    long setAt() {
        return setAt;
    }

    /// The last one at or before the position, as things are now.
    synchronized Optional<Place> nearest(long position) {
        int found = positions.last(position);
        return found < 0
                ? Optional.empty()
                : Optional.of(new Place(
                        found,
                        new Bookmark(
                                positions.position(found), bookmarks.get(found).key()),
                        moves.position(found)));
    }

    /// What is known of a place at a moment after it was looked up.
    enum Verdict {
        /// It was true all the time.
        TRUE,
        /// A document before it has come or gone.
        MOVED,
        /// Not known before more changes are.
        UNKNOWN,
        /// Nobody counts changes any more.
        OVER
    }

    /// Whether the place was true until the moment.
    synchronized Verdict judge(Place place, BsonTimestamp moment) {
        if (over) {
            return Verdict.OVER;
        }
        if (known.compareTo(moment) < 0) {
            return Verdict.UNKNOWN;
        }
        return moves.position(place.index()) == place.moves() ? Verdict.TRUE : Verdict.MOVED;
    }

    /// As [#judge], but waits until it is known, at most so long.
    synchronized Verdict await(Place place, BsonTimestamp moment, Duration limit) {
        long start = System.nanoTime();
        var verdict = judge(place, moment);
        while (verdict == Verdict.UNKNOWN) {
            awaitedAt = System.nanoTime();
            long left = limit.toNanos() - (awaitedAt - start);
            if (left <= 0) {
                return verdict;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return verdict;
            }
            verdict = judge(place, moment);
        }
        return verdict;
    }

    /// Whether somebody has waited for changes to be known lately.
    boolean isAwaited() {
        return System.nanoTime() - awaitedAt < HURRY.toNanos();
    }

    /// All changes until the moment, it included, have been counted.
    synchronized void know(BsonTimestamp moment) {
        if (moment.compareTo(known) > 0) {
            known = moment;
            notifyAll();
        }
    }

    /// Changes are not counted any more.
    synchronized void end() {
        over = true;
        notifyAll();
    }

    /// Whether so much has come or gone that it is time to set new ones.
    synchronized boolean isWorn() {
        long documents = bookmarks.isEmpty() ? 0 : positions.position(bookmarks.size() - 1);
        return changes > Math.max(WORN_LEAST, documents / 100 * WORN_PERCENT);
    }

    int size() {
        return bookmarks.size();
    }

    /// In memory.
    long bytes() {
        return bytes;
    }

    /// @param by 1 for a document that is new, -1 for one that is gone
    /// @return whether it is known where the id belongs; if not, the positions do not hold any more
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
}
