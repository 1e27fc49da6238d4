package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.restheart.mongo.cursor.pool.CursorPool;
import org.restheart.mongo.find.Ahead;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Positioning;

/// Finds deep pages by bookmarks, or where those cannot serve by cursors that were positioned ahead, for queries that
/// allow it; everything else is left to MongoDB. Thread-safe.
public final class PositionedFinder implements Finder, AutoCloseable {
    private final Documents documents;
    private final CursorPoolConfig config;
    private final LoadingCache<Shape, Traversal> traversals;
    private final Builder builder;
    private final ExactPages exact;
    private final CursorPool pool;
    private final PoolMeters meters;

    public PositionedFinder(MongoClient client, Documents documents, CursorPoolConfig config, MeterRegistry registry) {
        this.documents = documents;
        this.config = config;
        this.meters = new PoolMeters(registry);
        this.traversals = Caffeine.newBuilder()
                .maximumSize(config.maxQueries())
                .expireAfterAccess(config.maxAge())
                .executor(Runnable::run)
                .evictionListener((_, _, cause) -> {
                    if (cause.wasEvicted()) {
                        meters.evicted();
                    }
                })
                .build(_ -> new Traversal(config.maxAge()));
        this.builder = new Builder(client, config, meters);
        this.exact = new ExactPages(client, documents, config, meters);
        this.pool = new CursorPool(client, documents, config.allocation(), config.maxAge(), config.builds(), registry);
        meters.observe(traversals.asMap().values(), exact.traversals());
    }

    @Override
    public Optional<RawBsonDocument> one(DocumentQuery query) {
        return documents.one(query);
    }

    @Override
    public long count(CountQuery query) {
        return documents.count(query);
    }

    @Override
    public List<String> fields(FindQuery query, int limit) {
        return documents.fields(query, limit);
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        boolean marks = mayUseBookmarks(query);
        var page = marks ? bookmarked(query, batchSize) : Optional.<MongoCursor<RawBsonDocument>>empty();
        if (page.isEmpty() && mayUseCursors(query, marks)) {
            page = pool.find(query);
            page.ifPresent(_ -> meters.leased());
        }
        return page.orElseGet(() -> {
            if (marks) {
                meters.miss();
            }
            return documents.find(query, batchSize);
        });
    }

    private Optional<MongoCursor<RawBsonDocument>> bookmarked(FindQuery query, int batchSize) {
        return switch (query.shortcuts().positioning()) {
            case NONE -> Optional.empty();
            case BOOKMARKS -> marked(query, batchSize);
            case EXACT -> exact(query, batchSize);
            case EAGER -> exact(query, batchSize).or(() -> marked(query, batchSize));
        };
    }

    /// Where bookmarks can serve, they soon will, and nothing has to be held open in MongoDB.
    private boolean mayUseCursors(FindQuery query, boolean marks) {
        return query.shortcuts().ahead() != Ahead.NONE
                && (!isOrdered(query)
                        || (marks
                                && (!query.sort().containsKey("_id")
                                        || traversals.get(Shape.of(query)).isUnfit())));
    }

    private Optional<MongoCursor<RawBsonDocument>> marked(FindQuery query, int batchSize) {
        var shape = Shape.of(query);
        var traversal = traversals.get(shape);
        builder.startIfDue(shape, traversal);
        var bookmarks = traversal.bookmarks();
        var bookmark = bookmarks.flatMap(those -> those.nearest(query.skip()));
        if (bookmarks.isEmpty() || bookmark.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(read(query, bookmarks.get(), bookmark.get(), batchSize));
        } catch (MongoCommandException e) {
            if (!SortIndexes.mayBeGone(e)) {
                throw e;
            }
            traversal.forget();
            return Optional.empty();
        }
    }

    private Optional<MongoCursor<RawBsonDocument>> exact(FindQuery query, int batchSize) {
        try {
            return exact.find(query, batchSize);
        } catch (MongoCommandException e) {
            if (!SortIndexes.mayBeGone(e)) {
                throw e;
            }
            exact.forget(query);
            return Optional.empty();
        }
    }

    /// A page before the first bookmark costs no more than a way from one to the next. A client that names an index, or
    /// is shown the result of two projections, gets what it asks for.
    private boolean mayUseBookmarks(FindQuery query) {
        return query.shortcuts().positioning() != Positioning.NONE
                && query.skip() >= config.sliceWidth()
                && query.limit() > 0
                && isOrdered(query);
    }

    private static boolean isOrdered(FindQuery query) {
        return query.hint().isEmpty() && !query.projection().isStaged() && SteadyFilter.is(query.filter());
    }

    /// Closes the cursors that are positioned ahead.
    @Override
    public void close() {
        pool.close();
    }

    private MongoCursor<RawBsonDocument> read(FindQuery query, Bookmarks bookmarks, Bookmark bookmark, int batchSize) {
        var index = bookmarks.index();
        var range = index.from(Optional.of(bookmark.key()));
        long skip = query.skip() - bookmark.position();
        meters.hit(skip);
        if (!index.isVisibleIn(query.projection())) {
            return documents.find(query.slice(skip, query.limit()), range, batchSize);
        }
        if (!index.reverse() || skip == 0) {
            var page = documents.find(query.slice(skip, query.limit()), range, batchSize);
            return new MarkingCursor(page, bookmarks, query.skip());
        }
        // Against the index, the page's own bookmark is the key of the document before it: read that one, too.
        var page = new MarkingCursor(
                documents.find(query.slice(skip - 1, query.limit() + 1), range, batchSize + 1),
                bookmarks,
                query.skip() - 1);
        if (page.hasNext()) {
            page.next();
        }
        return page;
    }
}
