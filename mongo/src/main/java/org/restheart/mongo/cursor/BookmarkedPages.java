package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.cursor.Bookmarks.Bookmark;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;

/// Reads pages from the nearest bookmark. Each method triggers the build of missing bookmarks and returns empty
/// while there are none. Thread-safe.
final class BookmarkedPages {
    private static final ClientSessionOptions SESSION =
            ClientSessionOptions.builder().causallyConsistent(false).build();

    /// The approximate time in which MongoDB skips one document: an exact page does not wait longer than skipping
    /// would take.
    private static final long NANOS_PER_DOCUMENT = 400;

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final MongoClient client;
    private final Documents documents;
    private final LoadingCache<QueryKey, QueryBookmarks<ApproximateBookmarks>> approximate;
    private final LoadingCache<QueryKey, QueryBookmarks<ExactBookmarks>> exact;
    private final BookmarkBuilder builder;
    private final PagingMeters meters;

    BookmarkedPages(
            BackgroundTasks tasks,
            MongoClient client,
            Documents documents,
            CursorPoolConfig config,
            PagingMeters meters) {
        this.client = client;
        this.documents = documents;
        this.meters = meters;
        this.approximate = cache(config.maxQueries(), config.maxAge());
        this.exact = cache(config.maxExactQueries(), config.maxAge());
        this.builder = new BookmarkBuilder(tasks, client, config, meters);
        meters.observe(approximate.asMap().values(), exact.asMap().values());
    }

    private <B extends Bookmarks> LoadingCache<QueryKey, QueryBookmarks<B>> cache(int most, Duration maxAge) {
        return Caffeine.newBuilder()
                .maximumSize(most)
                .expireAfterAccess(maxAge)
                .executor(Runnable::run)
                .removalListener((@Nullable QueryKey _, @Nullable QueryBookmarks<B> removed, RemovalCause cause) -> {
                    if (removed != null) {
                        removed.discard();
                    }
                    if (cause.wasEvicted()) {
                        meters.evicted();
                    }
                })
                .build(_ -> new QueryBookmarks<>(maxAge));
    }

    /// Whether bookmarks are known not to be usable for the query.
    boolean isUnfit(FindQuery query) {
        return approximate.get(query.orderKey()).isUnfit();
    }

    /// The page as of the time when its bookmark was set.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses the query or cannot be reached
    Optional<MongoCursor<RawBsonDocument>> approximate(FindQuery query, int batchSize) {
        var key = query.orderKey();
        var known = approximate.get(key);
        builder.startIfDue(BookmarkedQuery.of(query), known);
        return whileIndexExists(
                approximate,
                key,
                () -> known.bookmarks()
                        .flatMap(bookmarks -> bookmarks
                                .nearest(query.skip())
                                .map(bookmark -> read(query, bookmarks, bookmark, batchSize))));
    }

    private MongoCursor<RawBsonDocument> read(
            FindQuery query, ApproximateBookmarks bookmarks, Bookmark bookmark, int batchSize) {
        var index = bookmarks.index();
        var range = index.from(Optional.of(bookmark.key()));
        long skip = query.skip() - bookmark.position();
        meters.hit(skip);
        if (!index.isVisibleIn(query.projection())) {
            return documents.find(query.slice(skip, query.limit()), range, batchSize);
        }
        if (!index.reverse() || skip == 0) {
            var page = documents.find(query.slice(skip, query.limit()), range, batchSize);
            return marking(page, bookmarks, query.skip());
        }
        // Against the index, the page's own bookmark is the key of the document before it, so read that one, too.
        var page = marking(
                documents.find(query.slice(skip - 1, query.limit() + 1), range, batchSize + 1),
                bookmarks,
                query.skip() - 1);
        if (page.hasNext()) {
            page.next();
        }
        return page;
    }

    /// Sets bookmarks at the first and the last document that is read.
    private static MongoCursor<RawBsonDocument> marking(
            MongoCursor<RawBsonDocument> page, ApproximateBookmarks bookmarks, long position) {
        var marker = new Marker(bookmarks, position);
        return new PageCursor(page, marker::passed, marker::end);
    }

    /// Confined to one request.
    private static final class Marker {
        private final ApproximateBookmarks bookmarks;
        private final long start;
        private long position;
        private @Nullable RawBsonDocument last;

        /// @param start position of the first document
        Marker(ApproximateBookmarks bookmarks, long start) {
            this.bookmarks = bookmarks;
            this.start = start;
            this.position = start;
        }

        void passed(RawBsonDocument document) {
            if (position == start) {
                mark(position, document);
            }
            position++;
            last = document;
        }

        void end() {
            if (last != null) {
                mark(position - 1, last);
                last = null;
            }
        }

        private void mark(long at, RawBsonDocument document) {
            // Against the index, a range begins below the key, one document further.
            long from = bookmarks.index().reverse() ? at + 1 : at;
            bookmarks.index().keyOf(document).ifPresent(key -> bookmarks.set(from, key));
        }
    }

    /// The page that MongoDB's skip would return. It is returned only when all writes acknowledged before the
    /// request, to any client, are applied to the bookmarks: each reply of MongoDB contains the time of its last
    /// write, and the change stream its position.
    ///
    /// @throws com.mongodb.MongoException as above
    Optional<MongoCursor<RawBsonDocument>> exact(FindQuery query, int batchSize) {
        if (query.settings().readConcern().isPresent()
                || query.settings().readPreference().isPresent()) {
            return Optional.empty(); // a lagging member returns stale data
        }
        var key = query.orderKey();
        var known = exact.get(key);
        builder.startExactIfDue(BookmarkedQuery.of(query), known);
        return whileIndexExists(
                exact, key, () -> known.bookmarks().flatMap(bookmarks -> exact(query, bookmarks, batchSize)));
    }

    private Optional<MongoCursor<RawBsonDocument>> exact(FindQuery query, ExactBookmarks bookmarks, int batchSize) {
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
            if (state == ExactBookmarks.State.UNKNOWN) {
                meters.awaited();
                state = bookmarks.await(nearest.get(), moment, timeout(query));
            }
            kept = state == ExactBookmarks.State.TRUE;
            return switch (state) {
                case TRUE -> Optional.of(page);
                case MOVED -> readAgain(query, bookmarks, batchSize);
                case UNKNOWN, OVER -> Optional.empty();
            };
        } finally {
            if (!kept) {
                page.close();
            }
        }
    }

    /// By now all writes before the request are applied. Later ones may or may not be included, as with MongoDB's
    /// skip, which yields to writes.
    private Optional<MongoCursor<RawBsonDocument>> readAgain(FindQuery query, ExactBookmarks bookmarks, int batchSize) {
        meters.repeated();
        return bookmarks
                .nearest(query.skip())
                .map(bookmark -> read(client.startSession(SESSION), query, bookmarks, bookmark, batchSize));
    }

    private static Duration timeout(FindQuery query) {
        var skipping = Duration.ofNanos(query.skip() * NANOS_PER_DOCUMENT);
        return skipping.compareTo(SHORTEST_WAIT) < 0
                ? SHORTEST_WAIT
                : skipping.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : skipping;
    }

    /// @param session ends with the page
    private MongoCursor<RawBsonDocument> read(
            ClientSession session, FindQuery query, ExactBookmarks bookmarks, Bookmark bookmark, int batchSize) {
        long skip = query.skip() - bookmark.position();
        var range = bookmarks.index().from(Optional.of(bookmark.key()));
        try {
            var page = documents.find(session, query.slice(skip, query.limit()), range, batchSize);
            meters.hit(skip);
            return new PageCursor(page, _ -> {}, session::close);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private static <B extends Bookmarks> Optional<MongoCursor<RawBsonDocument>> whileIndexExists(
            LoadingCache<QueryKey, QueryBookmarks<B>> known,
            QueryKey key,
            Supplier<Optional<MongoCursor<RawBsonDocument>>> read) {
        try {
            return read.get();
        } catch (MongoCommandException e) {
            if (!SortIndex.mayBeGone(e)) {
                throw e;
            }
            known.invalidate(key);
            return Optional.empty();
        }
    }
}
