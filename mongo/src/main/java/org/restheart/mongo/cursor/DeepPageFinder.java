package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.cursor.Bookmarks.Bookmark;
import org.restheart.mongo.cursor.PagingMeters.Event;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;

/// Finds deep pages with bookmarks or, where those are not usable, with positioned cursors, for queries that
/// allow it; other queries are passed to MongoDB. Thread-safe.
public final class DeepPageFinder implements Finder, AutoCloseable {
    private static final Set<String> CONSTANTS = Set.of("ROOT", "CURRENT", "REMOVE");

    private final DriverFinder documents;
    private final int firstBookmark;
    private final BookmarkedPages bookmarked;
    private final CursorPool pool;
    private final PagingMeters meters;

    public DeepPageFinder(
            BackgroundTasks tasks,
            MongoClient client,
            DriverFinder documents,
            CursorPoolConfig config,
            MeterRegistry registry) {
        this.documents = documents;
        this.firstBookmark = config.sliceWidth();
        this.meters = new PagingMeters(registry);
        this.bookmarked = new BookmarkedPages(tasks, client, documents, config, meters);
        this.pool = new CursorPool(tasks, new PositionedCursor.Opener(client), documents, config, meters);
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        boolean bookmarks = mayUseBookmarks(query);
        if (bookmarks || mayUseCursors(query, false)) {
            InlineRead.forbid();
        }
        var page = bookmarks ? bookmarked.find(query, batchSize) : Optional.<MongoCursor<RawBsonDocument>>empty();
        if (page.isEmpty() && mayUseCursors(query, bookmarks)) {
            page = pool.find(query, batchSize);
            page.ifPresent(_ -> meters.count(Event.LEASED));
        }
        return page.orElseGet(() -> {
            if (bookmarks) {
                meters.count(Event.MISS);
            }
            return documents.find(query, batchSize);
        });
    }

    /// False if bookmarks are off, for pages before the first, and for queries without a limit or a fixed
    /// order.
    private boolean mayUseBookmarks(FindQuery query) {
        return query.shortcuts().bookmarks()
                && query.skip() >= firstBookmark
                && query.limit() > 0
                && hasFixedOrder(query);
    }

    /// False where bookmarks are usable, which need no open cursors in MongoDB.
    private boolean mayUseCursors(FindQuery query, boolean bookmarks) {
        return query.shortcuts().cursorsAhead() != CursorsAhead.NONE
                && (!hasFixedOrder(query)
                        || (bookmarks && (!query.sort().containsKey("_id") || bookmarked.isUnfit(query))));
    }

    /// False for queries with a hint or a collation, for staged filters and projections, and for filters
    /// that depend on more than the documents or cannot be combined with a hint.
    private static boolean hasFixedOrder(FindQuery query) {
        return query.hint().isEmpty()
                && query.settings().collation().isEmpty()
                && !query.isStaged()
                && isDeterministic(query.filter().single());
    }

    /// Whether the result of the filter depends only on the documents, as far as is known, and an index hint
    /// is allowed with it.
    static boolean isDeterministic(BsonDocument filter) {
        var others = new AtomicBoolean();
        new NamedOperators((place, name, _) -> {
                    if (!dependsOnDocument(place, name)) {
                        others.setPlain(true);
                    }
                })
                .filter(filter, Location.of("filter"));
        return !others.getPlain();
    }

    private static boolean dependsOnDocument(Place place, String name) {
        return switch (place) {
            case EXPRESSION -> Operators.PURE.contains(name) && !Operators.CHANGING.contains(name);
            case VARIABLE -> CONSTANTS.contains(name);
            case QUERY ->
                place.known().contains(name)
                        && !Operators.CODE.contains(name)
                        && !Operators.CHANGING.contains(name)
                        && !StagedFilter.ONLY_FIRST.contains(name);
            case STAGE, UPDATE -> false;
        };
    }

    /// Closes the cursors that are positioned ahead.
    @Override
    public void close() {
        pool.close();
    }

    /// Reads pages from the nearest bookmark. Each method triggers the build of missing bookmarks and
    /// returns empty while there are none. Thread-safe.
    static final class BookmarkedPages {
        private static final ClientSessionOptions SESSION =
                ClientSessionOptions.builder().causallyConsistent(false).build();

        /// The approximate time in which MongoDB skips one document: an exact page does not wait longer than
        /// skipping would take.
        private static final long NANOS_PER_DOCUMENT = 400;

        private static final long SHORTEST_NANOS = 5_000_000;
        private static final long LONGEST_NANOS = 100_000_000;

        /// A usual query has no more bytes. A larger one, which is kept with its values, takes the place of
        /// several.
        private static final int BYTES = 65_536;

        private final MongoClient client;
        private final DriverFinder documents;
        private final Duration maxAge;
        private final Cache<QueryKey, QueryBookmarks> byOrder;
        private final BookmarkBuilder builder;
        private final PagingMeters meters;

        BookmarkedPages(
                BackgroundTasks tasks,
                MongoClient client,
                DriverFinder documents,
                CursorPoolConfig config,
                PagingMeters meters) {
            this.client = client;
            this.documents = documents;
            this.meters = meters;
            this.maxAge = config.maxAge();
            this.byOrder = cache(config.maxQueries());
            this.builder = new BookmarkBuilder(tasks, client, config, meters);
            meters.observe(byOrder.asMap().values());
        }

        private Cache<QueryKey, QueryBookmarks> cache(int most) {
            return Caffeine.newBuilder()
                    .maximumWeight((long) most * BYTES)
                    .weigher((QueryKey key, QueryBookmarks _) -> key.weight(BYTES))
                    .expireAfterAccess(maxAge)
                    .executor(Runnable::run)
                    .removalListener((@Nullable QueryKey _, @Nullable QueryBookmarks removed, RemovalCause cause) -> {
                        if (removed != null) {
                            removed.discard();
                        }
                        if (cause.wasEvicted()) {
                            meters.count(Event.EVICTED);
                        }
                    })
                    .build();
        }

        private QueryBookmarks of(FindQuery query) {
            return byOrder.get(query.orderKey(), _ -> new QueryBookmarks(query, maxAge));
        }

        /// Whether bookmarks are known not to be usable for the query now.
        boolean isUnfit(FindQuery query) {
            return of(query).isUnfit();
        }

        /// The page that MongoDB's skip would return. It is returned only when all writes acknowledged
        /// before the request, to any client, are applied to the bookmarks: each reply of MongoDB contains
        /// the time of its last write, and the change stream its position.
        Optional<MongoCursor<RawBsonDocument>> find(FindQuery query, int batchSize) {
            if (query.settings().readConcern().isPresent()
                    || query.settings().readPreference().isPresent()) {
                return Optional.empty(); // a lagging member returns stale data
            }
            var known = of(query);
            builder.startIfDue(known);
            try {
                return known.bookmarks().flatMap(bookmarks -> exact(query, bookmarks, batchSize));
            } catch (MongoCommandException e) {
                if (!SortIndex.mayBeGone(e)) {
                    throw e;
                }
                byOrder.invalidate(query.orderKey());
                return Optional.empty();
            }
        }

        private Optional<MongoCursor<RawBsonDocument>> exact(FindQuery query, Bookmarks bookmarks, int batchSize) {
            var nearest = bookmarks.nearest(query.skip());
            if (nearest.isEmpty()) {
                return Optional.empty();
            }
            ClientSession session = client.startSession(SESSION);
            var page = read(session, query, bookmarks, nearest.get(), batchSize);
            boolean kept = false;
            try {
                var moment = session.getOperationTime();
                if (moment == null) {
                    return Optional.empty();
                }
                var state = bookmarks.check(nearest.get(), moment);
                if (state == Bookmarks.State.PENDING) {
                    meters.count(Event.AWAITED);
                    state = bookmarks.await(nearest.get(), moment, timeout(query));
                }
                kept = state == Bookmarks.State.VALID;
                return switch (state) {
                    case VALID -> Optional.of(page);
                    case MOVED -> readAgain(query, bookmarks, batchSize);
                    case PENDING, ENDED -> Optional.empty();
                };
            } finally {
                if (!kept) {
                    page.close();
                }
            }
        }

        /// By now all writes before the request are applied. Later ones may or may not be included, as with
        /// MongoDB's skip, which yields to writes.
        private Optional<MongoCursor<RawBsonDocument>> readAgain(FindQuery query, Bookmarks bookmarks, int batchSize) {
            meters.count(Event.REPEATED);
            return bookmarks
                    .nearest(query.skip())
                    .map(bookmark -> read(client.startSession(SESSION), query, bookmarks, bookmark, batchSize));
        }

        private static Duration timeout(FindQuery query) {
            return Duration.ofNanos(Math.clamp(query.skip() * NANOS_PER_DOCUMENT, SHORTEST_NANOS, LONGEST_NANOS));
        }

        /// @param session ends with the page
        private MongoCursor<RawBsonDocument> read(
                ClientSession session, FindQuery query, Bookmarks bookmarks, Bookmark bookmark, int batchSize) {
            long skip = query.skip() - bookmark.position();
            var range = bookmarks.index().from(bookmark.key());
            try {
                var page = documents.find(session, query.slice(skip, query.limit()), range, batchSize);
                meters.hit(skip);
                return new Page(page, session);
            } catch (RuntimeException e) {
                session.close();
                throw e;
            }
        }

        /// A page with whose end its session ends. Confined to one request.
        private static final class Page extends DocumentCursor.Wrapper {
            private final ClientSession session;

            Page(MongoCursor<RawBsonDocument> documents, ClientSession session) {
                super(documents);
                this.session = session;
            }

            @Override
            public void close() {
                try {
                    super.close();
                } finally {
                    session.close();
                }
            }
        }
    }
}
