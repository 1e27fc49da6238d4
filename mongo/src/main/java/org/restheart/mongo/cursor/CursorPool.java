package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;

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

    /// The page, if a cursor is positioned shortly before it. Triggers the positioning of cursors for the next
    /// ones.
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
            meters.leaseMisses.increment();
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
            meters.lost.increment(); // by a restart, an election or an administrator
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

    /// A page of a cursor that is leased to one request. Closing it parks the cursor at the end of the page, so
    /// that the next page needs no skip. Confined to one request.
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
}
