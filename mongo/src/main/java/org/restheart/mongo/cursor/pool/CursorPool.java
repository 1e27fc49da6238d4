package org.restheart.mongo.cursor.pool;

import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;

/// Pages from cursors that were positioned before. A request never waits for one to be positioned. Thread-safe.
public final class CursorPool implements AutoCloseable {
    /// MongoDB closes cursors that are idle for ten minutes.
    private static final Duration OLDEST = Duration.ofMinutes(8);

    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Opener opener;
    private final AllocationConfig config;
    private final Slices slices;
    private final ParkedCursors cursors;
    private final Allocator allocator;
    private final Housekeeper housekeeper;
    private final PoolMeters meters;

    /// @param finder counts
    /// @param maxAge no page is read from a cursor that was opened longer ago; eight minutes at most
    /// @param builds queries whose cursors are positioned at the same time
    public CursorPool(
            MongoClient client,
            Finder finder,
            AllocationConfig config,
            Duration maxAge,
            int builds,
            MeterRegistry registry) {
        this(new ServerCursors(client), finder, config, maxAge, builds, registry);
    }

    CursorPool(
            Opener opener,
            Finder finder,
            AllocationConfig config,
            Duration maxAge,
            int builds,
            MeterRegistry registry) {
        var age = maxAge.compareTo(OLDEST) > 0 ? OLDEST : maxAge;
        this.opener = opener;
        this.config = config;
        this.slices = new Slices(config);
        this.meters = new PoolMeters(registry);
        this.cursors = new ParkedCursors(config.poolSize(), age, meters);
        this.allocator = new Allocator(opener, finder, config, cursors, age, builds, meters);
        this.housekeeper = Housekeeper.start(cursors, age);
        meters.observe(cursors);
    }

    /// The page, if a cursor stands shortly before it. Sees to it that there will be some for the next ones.
    ///
    /// @throws MongoTimeoutException if MongoDB cannot be reached
    public Optional<MongoCursor<RawBsonDocument>> find(FindQuery query) {
        if (!serves(query)) {
            return Optional.empty();
        }
        var key = CursorKey.of(query);
        var page = lease(key, query);
        allocator.asked(key, query);
        return page;
    }

    /// Who says how to read, or from whom, gets what he asks for.
    private boolean serves(FindQuery query) {
        return config.poolSize() > 0
                && query.limit() > 0
                && query.skip() >= slices.firstSkip(query.shortcuts().ahead())
                && query.settings().readConcern().isEmpty()
                && query.settings().readPreference().isEmpty()
                && opener.isPossible();
    }

    private Optional<MongoCursor<RawBsonDocument>> lease(CursorKey key, FindQuery query) {
        var cursor = cursors.lease(key, query.skip(), query.limit());
        if (cursor.isEmpty()) {
            meters.miss();
            return Optional.empty();
        }
        long way = query.skip() - cursor.get().position();
        var page = new Lease(cursor.get(), cursors, query.limit(), config.batchSize());
        boolean begun = false;
        try {
            page.begin(query.skip());
            begun = true;
            meters.hit(way);
            return Optional.of(page);
        } catch (MongoTimeoutException e) {
            throw e; // nor can MongoDB be asked otherwise
        } catch (MongoException _) {
            meters.lost(); // by a restart, an election or an administrator
            return Optional.empty();
        } finally {
            if (!begun) {
                page.close();
            }
        }
    }

    /// Closes all cursors. Waits for pages that are being read, for some seconds.
    @Override
    public void close() {
        housekeeper.close();
        cursors.close(CLOSING);
    }
}
