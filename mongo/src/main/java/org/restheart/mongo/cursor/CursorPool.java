package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.cursor.CursorPoolConfig.Slot;
import org.restheart.mongo.cursor.PagingMeters.Event;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads pages from cursors that were positioned ahead. A request never waits for one to be positioned.
/// Thread-safe.
final class CursorPool implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private static final Duration MIN_PERIOD = Duration.ofMillis(100);

    private final PositionedCursor.Opener opener;
    private final CursorPoolConfig.Allocation config;
    private final ParkedCursors cursors;
    private final Allocator allocator;
    private final PagingMeters meters;

    /// @param documents counts the results of queries
    CursorPool(
            BackgroundTasks tasks,
            PositionedCursor.Opener opener,
            DriverFinder documents,
            CursorPoolConfig config,
            PagingMeters meters) {
        var age = config.maxCursorAge();
        this.opener = opener;
        this.config = config.allocation();
        this.meters = meters;
        this.cursors = new ParkedCursors(this.config.poolSize(), age, meters);
        this.allocator = new Allocator(tasks, opener, documents, config, cursors, meters);
        meters.observe(cursors);
        // Often enough that MongoDB, which closes old cursors after ten minutes, never has to.
        var period = age.dividedBy(10).compareTo(MIN_PERIOD) < 0 ? MIN_PERIOD : age.dividedBy(10);
        tasks.repeat("cursor-housekeeper", period, cursors::closeOld);
    }

    /// The page, if a cursor is positioned shortly before it. Triggers the positioning of cursors for the
    /// next ones.
    ///
    /// @throws MongoTimeoutException if MongoDB cannot be reached
    Optional<MongoCursor<RawBsonDocument>> find(FindQuery query, int batchSize) {
        if (!serves(query)) {
            return Optional.empty();
        }
        var key = query.cursorKey();
        var page = lease(key, query, batchSize);
        allocator.requested(key, query);
        return page;
    }

    /// False for a query with its own read concern or preference.
    private boolean serves(FindQuery query) {
        return config.poolSize() > 0
                && query.limit() > 0
                && query.skip() >= config.firstSkip(query.shortcuts().cursorsAhead())
                && query.settings().readConcern().isEmpty()
                && query.settings().readPreference().isEmpty()
                && opener.isPossible();
    }

    private Optional<MongoCursor<RawBsonDocument>> lease(QueryKey key, FindQuery query, int batchSize) {
        var cursor = cursors.lease(key, query.skip(), query.limit());
        if (cursor.isEmpty()) {
            meters.count(Event.LEASE_MISS);
            return Optional.empty();
        }
        long distance = query.skip() - cursor.get().position();
        var page = new LeasedPage(cursor.get(), cursors, query.limit(), Math.min(config.batchSize(), batchSize));
        boolean begun = false;
        try {
            page.begin(query.skip());
            begun = true;
            meters.leaseHit(distance);
            return Optional.of(page);
        } catch (MongoTimeoutException e) {
            throw e; // MongoDB cannot be reached in another way either
        } catch (MongoException _) {
            meters.count(Event.LOST); // by a restart, an election or an administrator
            return Optional.empty();
        } finally {
            if (!begun) {
                page.close();
            }
        }
    }

    /// Closes all cursors. Waits some seconds for pages that are being read.
    @Override
    public void close() {
        cursors.close(CLOSING);
    }

    /// A page of a cursor that is leased to one request. Closing it parks the cursor at the end of the page,
    /// so that the next page needs no skip. Confined to one request.
    private static final class LeasedPage extends DocumentCursor {
        private final PositionedCursor cursor;
        private final ParkedCursors home;
        private final int batchSize;
        private final int limit;

        private int left;
        private Iterator<RawBsonDocument> batch = Collections.emptyIterator();
        private int available;
        private boolean failed;
        private boolean closed;

        /// @param limit documents of the page
        /// @param batchSize documents fetched at once at most
        LeasedPage(PositionedCursor cursor, ParkedCursors home, int limit, int batchSize) {
            this.cursor = cursor;
            this.home = home;
            this.limit = limit;
            this.left = limit;
            this.batchSize = batchSize;
        }

        /// Advances to the beginning of the page and fetches its first documents.
        ///
        /// @param skip not before the cursor's position
        /// @throws MongoException if the cursor was closed; no document has been returned then
        void begin(long skip) {
            while (!cursor.isSpent() && cursor.position() <= skip && !batch.hasNext()) {
                long distance = skip - cursor.position();
                fetch((int) Math.min(distance + left, batchSize));
                for (long passed = 0; passed < distance && batch.hasNext(); passed++) {
                    batch.next();
                    available--;
                }
            }
        }

        private void fetch(int documents) {
            failed = true;
            var fetched = cursor.next(documents);
            failed = false;
            batch = fetched.iterator();
            available = fetched.size();
        }

        @Override
        public boolean hasNext() {
            while (left > 0 && !batch.hasNext() && !cursor.isSpent()) {
                fetch(Math.min(left, batchSize));
            }
            return left > 0 && batch.hasNext();
        }

        @Override
        public RawBsonDocument next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            left--;
            available--;
            return batch.next();
        }

        @Override
        public int available() {
            return Math.min(left, available);
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            boolean hasAnother = cursor.end() - cursor.position() >= limit;
            home.release(cursor, !failed && hasAnother);
        }
    }

    /// Positions cursors for the expected next requests: in the background and for a few queries at a time.
    /// Further queries are not queued, since their next request triggers allocation again. Thread-safe.
    private static final class Allocator {
        private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);

        private static final int MAX_QUERIES = 1_000;

        /// Bytes of an average query.
        private static final int BYTES = 4_096;

        /// The longest pause between two cursors. The pause is as long as the first one took, so that at most
        /// half of the time is spent on them.
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
                    meters.count(Event.ALLOCATION_FAILED);
                    LOG.warn(
                            "No cursors can be positioned for deep pages of {}: {}", query.namespace(), e.getMessage());
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

        /// Whether the cursor was positioned for one of these slots that comes before the missing one and so
        /// must not be evicted for it. A cursor for a later one may be: else the slice that is being read
        /// would never get one.
        private static boolean isWantedBefore(
                Missing missing, List<Slot> slots, QueryKey key, PositionedCursor cursor) {
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
                meters.count(Event.POSITIONED);
            } else {
                use.endsBefore(slot.position());
                meters.count(Event.ENDED_BEFORE);
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

            /// @return whether the caller has to position the query's cursors now, and then to call [#done];
            ///     false for the first request of a query
            boolean request(FindQuery query) {
                latest = query;
                return requested.incrementAndGet() > 1 && !isFresh(failure) && busy.compareAndSet(false, true);
            }

            void done() {
                busy.set(false);
            }

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
}
