package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;

/// Reads pages from cursors that were positioned ahead. A request never waits for one to be positioned. Thread-safe.
final class CursorPool implements AutoCloseable {
    /// MongoDB closes cursors that are idle for ten minutes.
    private static final Duration OLDEST = Duration.ofMinutes(8);

    private static final Duration CLOSING = Duration.ofSeconds(5);

    private static final Duration SHORTEST_PERIOD = Duration.ofMillis(100);

    private final CursorOpener opener;
    private final AllocationConfig config;
    private final Slices slices;
    private final ParkedCursors cursors;
    private final Allocator allocator;
    private final PagingMeters meters;

    /// @param finder counts
    /// @param maxAge no page is read from a cursor that was opened longer ago; eight minutes at most
    /// @param builds queries whose cursors are positioned at the same time
    CursorPool(
            BackgroundTasks tasks,
            CursorOpener opener,
            Documents finder,
            AllocationConfig config,
            Duration maxAge,
            int builds,
            PagingMeters meters) {
        var age = maxAge.compareTo(OLDEST) > 0 ? OLDEST : maxAge;
        this.opener = opener;
        this.config = config;
        this.slices = new Slices(config);
        this.meters = meters;
        this.cursors = new ParkedCursors(config.poolSize(), age, meters);
        this.allocator = new Allocator(tasks, opener, finder, config, cursors, age, builds, meters);
        meters.observe(cursors);
        // Often enough that MongoDB, which closes old cursors after ten minutes, never has to.
        var period = age.dividedBy(10).compareTo(SHORTEST_PERIOD) < 0 ? SHORTEST_PERIOD : age.dividedBy(10);
        tasks.repeat("cursor-housekeeper", period, cursors::closeOld);
    }

    /// The page, if a cursor is positioned shortly before it. Triggers the positioning of cursors for the next ones.
    ///
    /// @throws MongoTimeoutException if MongoDB cannot be reached
    Optional<MongoCursor<RawBsonDocument>> find(FindQuery query) {
        if (!serves(query)) {
            return Optional.empty();
        }
        var key = query.cursorKey();
        var page = lease(key, query);
        allocator.asked(key, query);
        return page;
    }

    /// False for a query with its own read concern or preference.
    private boolean serves(FindQuery query) {
        return config.poolSize() > 0
                && query.limit() > 0
                && query.skip() >= slices.firstSkip(query.shortcuts().ahead())
                && query.settings().readConcern().isEmpty()
                && query.settings().readPreference().isEmpty()
                && opener.isPossible();
    }

    private Optional<MongoCursor<RawBsonDocument>> lease(QueryKey key, FindQuery query) {
        var cursor = cursors.lease(key, query.skip(), query.limit());
        if (cursor.isEmpty()) {
            meters.leaseMiss();
            return Optional.empty();
        }
        long way = query.skip() - cursor.get().position();
        var page = new LeasedPage(cursor.get(), cursors, query.limit(), config.batchSize());
        boolean begun = false;
        try {
            page.begin(query.skip());
            begun = true;
            meters.leaseHit(way);
            return Optional.of(page);
        } catch (MongoTimeoutException e) {
            throw e; // MongoDB cannot be reached in another way either
        } catch (MongoException _) {
            meters.cursorLost(); // by a restart, an election or an administrator
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
}
