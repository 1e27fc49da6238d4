package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.restheart.mongo.find.QueryKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All open cursors: each is being opened, parked or leased to one request. Bounded in number and age. Thread-safe.
final class ParkedCursors {
    private static final Logger LOG = LoggerFactory.getLogger(ParkedCursors.class);

    /// A cursor is of use if it saves nine tenths of what MongoDB would have to count,
    private static final int TENTH = 10;

    /// and no more documents than this have to be read on the way to the page, since they travel.
    static final int LONGEST_WAY = 10_000;

    private final int most;
    private final Duration maxAge;
    private final PagingMeters meters;

    @GuardedBy("this")
    private final Map<QueryKey, List<PositionedCursor>> parked = new HashMap<>();

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private int opening;

    @GuardedBy("this")
    private int leased;

    @GuardedBy("this")
    private int closing;

    @GuardedBy("this")
    private boolean closed;

    ParkedCursors(int most, Duration maxAge, PagingMeters meters) {
        this.most = most;
        this.maxAge = maxAge;
        this.meters = meters;
    }

    /// The one that stands next before the position and reads far enough; no other request gets it until it is parked
    /// again.
    synchronized Optional<PositionedCursor> lease(QueryKey key, long skip, int limit) {
        long now = System.nanoTime();
        long way = Math.min(skip / TENTH, LONGEST_WAY);
        var best = parked.getOrDefault(key, List.of()).stream()
                .filter(cursor -> cursor.position() <= skip
                        && skip - cursor.position() <= way
                        && skip + limit <= cursor.end()
                        && !isOld(cursor, now))
                .max(Comparator.comparingLong(PositionedCursor::position));
        best.ifPresent(cursor -> {
            remove(cursor);
            leased++;
        });
        return best;
    }

    private boolean isOld(PositionedCursor cursor, long now) {
        return now - cursor.openedAt() >= maxAge.toNanos();
    }

    @GuardedBy("this")
    private void remove(PositionedCursor cursor) {
        var others = parked.get(cursor.key());
        if (others != null && others.remove(cursor)) {
            count--;
            if (others.isEmpty()) {
                parked.remove(cursor.key());
            }
        }
    }

    /// Takes a leased one back, for others.
    ///
    /// @param wanted whether it can still be of use
    void giveBack(PositionedCursor cursor, boolean wanted) {
        synchronized (this) {
            leased--;
            if (wanted && !cursor.isSpent() && !closed && !isOld(cursor, System.nanoTime())) {
                put(cursor);
                return;
            }
            closing++;
        }
        if (cursor.isSpent()) {
            close(cursor);
        } else {
            Thread.ofVirtual().name("cursor-closing").start(() -> close(cursor)); // no request waits for it
        }
    }

    @GuardedBy("this")
    private void put(PositionedCursor cursor) {
        cursor.parked(System.nanoTime());
        parked.computeIfAbsent(cursor.key(), _ -> new ArrayList<>()).add(cursor);
        count++;
    }

    /// A place for one more, for which [#park] or [#giveUp] has to be called. If all are taken, the parked cursor that
    /// has not been used for the longest time is closed, which is waited for.
    ///
    /// @param spared those that are not closed for it
    /// @return false if all others are in use
    boolean reserve(Predicate<PositionedCursor> spared) {
        PositionedCursor victim;
        synchronized (this) {
            if (closed) {
                return false;
            }
            if (count + opening + leased + closing < most) {
                opening++;
                return true;
            }
            var oldest = parked.values().stream()
                    .flatMap(List::stream)
                    .filter(cursor -> !spared.test(cursor))
                    .min(Comparator.comparingLong(PositionedCursor::parkedAt));
            if (oldest.isEmpty()) {
                return false;
            }
            victim = oldest.get();
            remove(victim);
            opening++;
        }
        victim.kill();
        meters.cursorEvicted();
        return true;
    }

    void park(PositionedCursor opened) {
        synchronized (this) {
            opening--;
            if (!closed) {
                put(opened);
                return;
            }
            closing++;
        }
        close(opened);
    }

    /// There is no cursor for the place.
    synchronized void giveUp() {
        opening--;
        notifyAll();
    }

    private void close(PositionedCursor cursor) {
        try {
            cursor.kill();
        } finally {
            synchronized (this) {
                closing--;
                notifyAll();
            }
        }
    }

    /// How many of the query's parked cursors nobody has read from yet, of those at this position.
    synchronized int ready(QueryKey key, long position) {
        long now = System.nanoTime();
        return (int) parked.getOrDefault(key, List.of()).stream()
                .filter(cursor -> cursor.isFresh() && cursor.position() == position && !isOld(cursor, now))
                .count();
    }

    /// Closes those that are too old, and waits for it.
    void closeOld() {
        long now = System.nanoTime();
        var old = take(cursor -> isOld(cursor, now));
        old.forEach(cursor -> {
            close(cursor);
            meters.cursorExpired();
        });
    }

    private synchronized List<PositionedCursor> take(Predicate<PositionedCursor> which) {
        var taken = parked.values().stream().flatMap(List::stream).filter(which).toList();
        taken.forEach(this::remove);
        closing += taken.size();
        return taken;
    }

    /// Closes all that are parked, and waits for those that are not.
    void close(Duration timeout) {
        synchronized (this) {
            closed = true;
        }
        take(_ -> true).forEach(this::close);
        long until = System.nanoTime() + timeout.toNanos();
        synchronized (this) {
            try {
                for (long left = timeout.toNanos();
                        opening + leased + closing > 0 && left > 0;
                        left = until - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            if (opening + leased + closing > 0) {
                LOG.warn("{} cursors are still open: MongoDB will close them", opening + leased + closing);
            }
        }
    }

    synchronized int parked() {
        return count;
    }

    synchronized int leased() {
        return leased;
    }
}
