package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    /// A permit for each cursor from before it is opened until it is closed.
    private final Semaphore places;

    private final AtomicInteger leased = new AtomicInteger();

    @GuardedBy("this")
    private final Map<QueryKey, List<PositionedCursor>> parked = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    ParkedCursors(int most, Duration maxAge, PagingMeters meters) {
        this.most = most;
        this.maxAge = maxAge;
        this.meters = meters;
        this.places = new Semaphore(most);
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
            leased.incrementAndGet();
        });
        return best;
    }

    private boolean isOld(PositionedCursor cursor, long now) {
        return now - cursor.openedAt() >= maxAge.toNanos();
    }

    @GuardedBy("this")
    private void remove(PositionedCursor cursor) {
        parked.computeIfPresent(cursor.key(), (_, some) -> some.remove(cursor) && some.isEmpty() ? null : some);
    }

    /// Returns a leased one to the pool.
    ///
    /// @param wanted whether it is still usable
    void release(PositionedCursor cursor, boolean wanted) {
        leased.decrementAndGet();
        if (wanted && !cursor.isSpent() && !isOld(cursor, System.nanoTime()) && tryPark(cursor)) {
            return;
        }
        if (cursor.isSpent()) {
            close(cursor);
        } else {
            Thread.ofVirtual().name("cursor-closing").start(() -> close(cursor)); // requests do not wait for it
        }
    }

    /// @return false after [#close(Duration)]
    private synchronized boolean tryPark(PositionedCursor cursor) {
        if (!closed) {
            cursor.parked(System.nanoTime());
            parked.computeIfAbsent(cursor.key(), _ -> new ArrayList<>()).add(cursor);
        }
        return !closed;
    }

    /// Reserves a place for one more, for which [#park] or [#cancelReservation] has to be called. If all are taken, the
    /// least recently used parked cursor is closed, synchronously.
    ///
    /// @param spared cursors that must not be closed
    /// @return false if all others are in use
    boolean reserve(Predicate<PositionedCursor> spared) {
        if (places.tryAcquire()) {
            return true;
        }
        var oldest = takeOldest(spared);
        oldest.ifPresent(
                victim -> { // whose place the new one has
                    victim.kill();
                    meters.count(Event.CURSOR_EVICTED);
                });
        return oldest.isPresent();
    }

    private synchronized Optional<PositionedCursor> takeOldest(Predicate<PositionedCursor> spared) {
        var oldest = parked.values().stream()
                .flatMap(List::stream)
                .filter(cursor -> !spared.test(cursor))
                .min(Comparator.comparingLong(PositionedCursor::parkedAt));
        oldest.ifPresent(this::remove);
        return oldest;
    }

    void park(PositionedCursor opened) {
        if (!tryPark(opened)) {
            close(opened);
        }
    }

    /// Releases a reserved place.
    void cancelReservation() {
        places.release();
    }

    private void close(PositionedCursor cursor) {
        try {
            cursor.kill();
        } finally {
            places.release();
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
        take(cursor -> isOld(cursor, now)).forEach(cursor -> {
            close(cursor);
            meters.count(Event.CURSOR_EXPIRED);
        });
    }

    private synchronized List<PositionedCursor> take(Predicate<PositionedCursor> which) {
        var taken = parked.values().stream().flatMap(List::stream).filter(which).toList();
        taken.forEach(this::remove);
        return taken;
    }

    /// Closes all parked cursors, and waits for leased ones.
    void close(Duration timeout) {
        synchronized (this) {
            closed = true;
        }
        take(_ -> true).forEach(this::close);
        try {
            if (!places.tryAcquire(most, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn(
                        "{} cursors could not be closed: MongoDB closes them when they time out",
                        most - places.availablePermits());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized int parked() {
        return parked.values().stream().mapToInt(List::size).sum();
    }

    int leased() {
        return leased.get();
    }
}
