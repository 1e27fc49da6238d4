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
import org.restheart.mongo.cursor.PagingMeters.Event;
import org.restheart.mongo.find.QueryKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All open cursors: each is being opened, parked or leased to one request. Bounded in number and age. Thread-safe.
final class ParkedCursors {
    private static final Logger LOG = LoggerFactory.getLogger(ParkedCursors.class);

    /// A cursor is usable if it saves nine tenths of the documents that MongoDB would have to skip,
    private static final int TENTH = 10;

    /// and if no more documents than this have to be transferred before the page.
    static final int MAX_DISTANCE = 10_000;

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

    /// The nearest one before the position that reads far enough; it is exclusively leased until it is parked again.
    synchronized Optional<PositionedCursor> lease(QueryKey key, long skip, int limit) {
        long now = System.nanoTime();
        long distance = Math.min(skip / TENTH, MAX_DISTANCE);
        var best = parked.getOrDefault(key, List.of()).stream()
                .filter(cursor -> cursor.position() <= skip
                        && skip - cursor.position() <= distance
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

    /// Returns a leased one to the pool.
    ///
    /// @param wanted whether it is still usable
    void release(PositionedCursor cursor, boolean wanted) {
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
            Thread.ofVirtual().name("cursor-closing").start(() -> close(cursor)); // requests do not wait for it
        }
    }

    @GuardedBy("this")
    private void put(PositionedCursor cursor) {
        cursor.parked(System.nanoTime());
        parked.computeIfAbsent(cursor.key(), _ -> new ArrayList<>()).add(cursor);
        count++;
    }

    /// Reserves a place for one more, for which [#park] or [#cancelReservation] has to be called. If all are taken, the
    /// least recently used parked cursor is closed, synchronously.
    ///
    /// @param spared cursors that must not be closed
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
        meters.count(Event.CURSOR_EVICTED);
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

    /// Releases a reserved place.
    synchronized void cancelReservation() {
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

    /// The number of the query's parked cursors at this position that have not been read from.
    synchronized int ready(QueryKey key, long position) {
        long now = System.nanoTime();
        return (int) parked.getOrDefault(key, List.of()).stream()
                .filter(cursor -> cursor.isFresh() && cursor.position() == position && !isOld(cursor, now))
                .count();
    }

    /// Closes those that are too old, synchronously.
    void closeOld() {
        long now = System.nanoTime();
        var old = take(cursor -> isOld(cursor, now));
        old.forEach(cursor -> {
            close(cursor);
            meters.count(Event.CURSOR_EXPIRED);
        });
    }

    private synchronized List<PositionedCursor> take(Predicate<PositionedCursor> which) {
        var taken = parked.values().stream().flatMap(List::stream).filter(which).toList();
        taken.forEach(this::remove);
        closing += taken.size();
        return taken;
    }

    /// Closes all parked cursors, and waits for leased ones.
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
                LOG.warn(
                        "{} cursors could not be closed: MongoDB closes them when they time out",
                        opening + leased + closing);
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
