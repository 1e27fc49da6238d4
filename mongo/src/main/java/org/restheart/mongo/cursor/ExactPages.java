package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.FindQuery;

/// Pages from bookmarks that are kept true, by shape, each of which has a change stream open in MongoDB. A page is only
/// handed out when all writes are known to be counted that were acknowledged, to whomever, before it was asked for:
/// MongoDB says with each answer which was its last write then, and the change stream how far it is. Thread-safe.
final class ExactPages {
    private static final ClientSessionOptions SESSION =
            ClientSessionOptions.builder().causallyConsistent(false).build();

    /// MongoDB needs about that long to skip one document: a page is not awaited for longer than skipping takes.
    private static final long NANOS_PER_DOCUMENT = 400;

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final MongoClient client;
    private final Documents documents;
    private final LoadingCache<Shape, ExactTraversal> traversals;
    private final Follower follower;
    private final PoolMeters meters;

    ExactPages(MongoClient client, Documents documents, CursorPoolConfig config, PoolMeters meters) {
        this.client = client;
        this.documents = documents;
        this.traversals = Caffeine.newBuilder()
                .maximumSize(config.maxExactQueries())
                .expireAfterAccess(config.maxAge())
                .executor(Runnable::run)
                .removalListener((@Nullable Shape _, @Nullable ExactTraversal traversal, RemovalCause cause) -> {
                    if (traversal != null) {
                        traversal.forget();
                    }
                    if (cause.wasEvicted()) {
                        meters.evicted();
                    }
                })
                .build(_ -> new ExactTraversal(config.maxAge()));
        this.follower = new Follower(client, config, meters);
        this.meters = meters;
    }

    Collection<ExactTraversal> traversals() {
        return traversals.asMap().values();
    }

    /// The page, if there are bookmarks for it and they are true. Sees to it that there will be some.
    ///
    /// @throws MongoException also if there is no such index any more
    Optional<MongoCursor<RawBsonDocument>> find(FindQuery query, int batchSize) {
        if (query.settings().readConcern().isPresent()
                || query.settings().readPreference().isPresent()) {
            return Optional.empty(); // a member that lags behind shows what is not true any more
        }
        var bookmarks = bookmarks(Shape.of(query));
        return bookmarks.isPresent() ? find(query, bookmarks.get(), batchSize) : Optional.empty();
    }

    private Optional<MongoCursor<RawBsonDocument>> find(FindQuery query, LiveBookmarks live, int batchSize) {
        var first = live.nearest(query.skip());
        if (first.isEmpty()) {
            return Optional.empty();
        }
        var page = read(query, live, first.get(), batchSize);
        boolean kept = false;
        try {
            var moment = page.session().getOperationTime();
            if (moment == null) {
                return Optional.empty();
            }
            var verdict = live.judge(first.get(), moment);
            if (verdict == LiveBookmarks.Verdict.UNKNOWN) {
                meters.awaited();
                verdict = live.await(first.get(), moment, patience(query));
            }
            kept = verdict == LiveBookmarks.Verdict.TRUE;
            return switch (verdict) {
                case TRUE -> Optional.of(page);
                case MOVED -> again(query, live, batchSize);
                case UNKNOWN, OVER -> Optional.empty();
            };
        } finally {
            if (!kept) {
                page.close();
            }
        }
    }

    /// By now all writes from before the request are counted. Those since then may be seen or not, as MongoDB's own
    /// skip, which lets writes pass while it counts, sees one that comes before it or not one that comes behind it.
    private Optional<MongoCursor<RawBsonDocument>> again(FindQuery query, LiveBookmarks live, int batchSize) {
        meters.repeated();
        var now = live.nearest(query.skip());
        return now.isPresent() ? Optional.of(read(query, live, now.get(), batchSize)) : Optional.empty();
    }

    private static Duration patience(FindQuery query) {
        var skipping = Duration.ofNanos(query.skip() * NANOS_PER_DOCUMENT);
        return skipping.compareTo(SHORTEST_WAIT) < 0
                ? SHORTEST_WAIT
                : skipping.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : skipping;
    }

    private SessionCursor read(FindQuery query, LiveBookmarks live, Place place, int batchSize) {
        long skip = query.skip() - place.bookmark().position();
        var range = live.index().from(Optional.of(place.bookmark().key()));
        ClientSession session = client.startSession(SESSION);
        try {
            var page = documents.find(session, query.slice(skip, query.limit()), range, batchSize);
            meters.hit(skip);
            return new SessionCursor(page, session);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /// Bookmarks that are kept true. Sees to it that there will be some.
    private Optional<LiveBookmarks> bookmarks(Shape shape) {
        var traversal = traversals.get(shape);
        follower.startIfDue(shape, traversal);
        return traversal.bookmarks();
    }

    /// The index of the query has changed.
    void forget(FindQuery query) {
        traversals.invalidate(Shape.of(query));
    }
}
