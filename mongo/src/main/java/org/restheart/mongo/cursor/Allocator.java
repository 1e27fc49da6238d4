package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.cursor.CursorPoolConfig.Slot;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Positions cursors for the expected next requests: in the background and for a few queries at a time. Further
/// queries are not queued, since their next request triggers allocation again. Thread-safe.
final class Allocator {
    private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);

    private static final int MAX_QUERIES = 1_000;

    /// Bytes of an average query.
    private static final int BYTES = 4_096;

    /// The longest pause between two cursors. The pause is as long as the first one took, so that at most half
    /// of the time is spent on them.
    private static final Duration MAX_PAUSE = Duration.ofSeconds(1);

    private final BackgroundTasks tasks;
    private final PositionedCursor.Opener opener;
    private final DriverFinder documents;
    private final CursorPoolConfig.Allocation config;
    private final ParkedCursors cursors;
    private final Cache<QueryKey, QueryUse> uses;
    private final Semaphore free;
    private final PagingMeters meters;

    /// @param documents counts the results of queries
    Allocator(
            BackgroundTasks tasks,
            PositionedCursor.Opener opener,
            DriverFinder documents,
            CursorPoolConfig config,
            ParkedCursors cursors,
            PagingMeters meters) {
        this.tasks = tasks;
        this.opener = opener;
        this.documents = documents;
        this.cursors = cursors;
        this.config = config.allocation();
        this.uses = Caffeine.newBuilder()
                .maximumWeight(MAX_QUERIES * BYTES)
                .weigher((QueryKey key, QueryUse _) -> key.weight(BYTES))
                .expireAfterAccess(config.maxCursorAge())
                .executor(Runnable::run)
                .build();
        this.free = new Semaphore(CursorPoolConfig.BUILDS);
        this.meters = meters;
    }

    /// Returns at once.
    void requested(QueryKey key, FindQuery query) {
        var use = uses.get(key, _ -> new QueryUse(query));
        if (!use.request(query)) {
            return;
        }
        if (!free.tryAcquire()) {
            use.done();
            return;
        }
        tasks.start("cursor-allocation", () -> {
            try {
                topUp(key, use);
            } catch (MongoException e) {
                use.failed();
                meters.allocationFailed.increment();
                LOG.warn("No cursors can be positioned for deep pages of {}: {}", query.namespace(), e.getMessage());
            } catch (IllegalStateException e) {
                LOG.debug("The MongoDB client was closed while a cursor was positioned", e);
            } finally {
                free.release();
                use.done();
            }
        });
    }

    private void topUp(QueryKey key, QueryUse use) {
        for (int i = 0; i < config.poolSize() && tasks.isRunning(); i++) {
            var query = use.latest(); // which may be a later page by now
            var slots = slots(use, query);
            var slot = missing(key, use, slots);
            if (slot == null || !cursors.reserve(cursor -> isWantedBefore(slot, slots, key, cursor))) {
                return;
            }
            long before = System.nanoTime();
            open(key, use, query, slot.of());
            LockSupport.parkNanos(Math.min(System.nanoTime() - before, MAX_PAUSE.toNanos()));
        }
    }

    /// A slot that has fewer cursors than this.
    private record Missing(Slot of, int rank) {}

    /// Whether the cursor was positioned for one of these slots that comes before the missing one and so must not be
    /// evicted for it. A cursor for a later one may be: else the slice that is being read would never get one.
    private static boolean isWantedBefore(Missing missing, List<Slot> slots, QueryKey key, PositionedCursor cursor) {
        int before = slots.indexOf(missing.of());
        return cursor.isFresh()
                && cursor.key().equals(key)
                && IntStream.range(0, slots.size())
                        .filter(i -> i < before || missing.rank() > 1)
                        .anyMatch(i -> slots.get(i).position() == cursor.position());
    }

    private void open(QueryKey key, QueryUse use, FindQuery query, Slot slot) {
        Optional<PositionedCursor> opened = Optional.empty();
        try {
            opened = opener.open(key, query, slot.position(), slot.span() + query.limit());
        } finally {
            opened.ifPresentOrElse(cursors::park, cursors::cancelReservation);
        }
        if (opened.isPresent()) {
            meters.positioned.increment();
        } else {
            use.endsBefore(slot.position());
            meters.endedBefore.increment();
        }
    }

    /// The next slot without a cursor: the first of every slice, then the second ones and so on.
    private @Nullable Missing missing(QueryKey key, QueryUse use, List<Slot> slots) {
        int highest = slots.stream().mapToInt(Slot::cursors).max().orElse(0);
        for (int rank = 1; rank <= highest; rank++) {
            for (var slot : slots) {
                if (slot.cursors() >= rank
                        && !use.isBehindEnd(slot.position())
                        && cursors.ready(key, slot.position()) < rank) {
                    return new Missing(slot, rank);
                }
            }
        }
        return null;
    }

    private List<Slot> slots(QueryUse use, FindQuery query) {
        return query.shortcuts().cursorsAhead() == CursorsAhead.LINEAR
                ? config.linear(query.skip())
                : config.random(use.size(() -> documents.count(new CountQuery(
                        query.namespace(), query.filter(), query.filter().isEmpty(), 0, query.settings()))));
    }

    /// How one query is used, over all its requests. Thread-safe.
    private static final class QueryUse {
        /// How long the size of a result is cached, and how long nothing is retried after a failure.
        private static final Duration KNOWN = Duration.ofMinutes(1);

        private record Known(long number, long since) {
            boolean isFresh() {
                return System.nanoTime() - since < KNOWN.toNanos();
            }
        }

        private final AtomicInteger requested = new AtomicInteger();
        private final AtomicBoolean busy = new AtomicBoolean();
        private volatile FindQuery latest;
        private volatile @Nullable Known size;
        private volatile @Nullable Known end;
        private volatile @Nullable Known failure;

        QueryUse(FindQuery first) {
            this.latest = first;
        }

        /// @return whether the caller has to position the query's cursors now, and then to call [#done]; false
        ///     for the first request of a query
        boolean request(FindQuery query) {
            latest = query;
            return requested.incrementAndGet() > 1 && !isFresh(failure) && busy.compareAndSet(false, true);
        }

        void done() {
            busy.set(false);
        }

        /// The query of the latest request.
        FindQuery latest() {
            return latest;
        }

        /// Prevents retries for a minute.
        void failed() {
            failure = new Known(0, System.nanoTime());
        }

        /// Records that the result has no document at the position.
        void endsBefore(long position) {
            end = new Known(position, System.nanoTime());
        }

        /// Whether the result is known to have no document at the position.
        boolean isBehindEnd(long position) {
            var known = end;
            return known != null && known.isFresh() && position >= known.number();
        }

        /// Documents of the whole result, as of the last minute.
        long size(LongSupplier count) {
            var known = size;
            if (known == null || !known.isFresh()) {
                known = new Known(count.getAsLong(), System.nanoTime());
                size = known;
            }
            return known.number();
        }

        private static boolean isFresh(@Nullable Known known) {
            return known != null && known.isFresh();
        }
    }
}
