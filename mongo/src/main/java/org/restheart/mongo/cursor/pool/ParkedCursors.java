package org.restheart.mongo.cursor.pool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
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
    private final PoolMeters meters;

    private final Map<CursorKey, List<PositionedCursor>> parked = new HashMap<>(); // guarded by this
    private int count; // of the parked ones; guarded by this
    private int opening; // guarded by this
    private int leased; // guarded by this
    private int closing; // guarded by this
    private boolean closed; // guarded by this

    ParkedCursors(int most, Duration maxAge, PoolMeters meters) {
        this.most = most;
        this.maxAge = maxAge;
        this.meters = meters;
    }

    /// The one that stands next before the position and reads far enough; nobody else gets it until it is parked
    /// again.
    synchronized Optional<PositionedCursor> lease(CursorKey key, long skip, int limit) {
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
            Thread.ofVirtual().name("cursor-closing").start(() -> close(cursor)); // nobody's request waits for it
        }
    }

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
        meters.evicted();
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
    synchronized int ready(CursorKey key, long position) {
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
            meters.expired();
        });
    }

    private synchronized List<PositionedCursor> take(Predicate<PositionedCursor> which) {
        var taken = parked.values().stream().flatMap(List::stream).filter(which).toList();
        taken.forEach(this::remove);
        closing += taken.size();
        return taken;
    }

    /// Closes all that are parked, and waits for those that are not.
    void close(Duration patience) {
        synchronized (this) {
            closed = true;
        }
        take(_ -> true).forEach(this::close);
        long until = System.nanoTime() + patience.toNanos();
        synchronized (this) {
            try {
                for (long left = patience.toNanos();
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
