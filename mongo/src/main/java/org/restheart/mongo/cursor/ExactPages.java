package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.mongodb.client.MongoClient;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.find.FindQuery;

/// The bookmarks that are kept true, by shape. Each shape has a change stream open in MongoDB. Thread-safe.
final class ExactPages {
    private final LoadingCache<Shape, ExactTraversal> traversals;
    private final Follower follower;

    ExactPages(MongoClient client, CursorPoolConfig config, PoolMeters meters) {
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
    }

    /// Bookmarks to begin at, if they are true now. Sees to it that there will be some.
    Optional<LiveBookmarks> bookmarks(FindQuery query) {
        if (query.settings().readConcern().isPresent()
                || query.settings().readPreference().isPresent()) {
            return Optional.empty(); // a member that lags behind shows what is not true any more
        }
        var shape = Shape.of(query);
        var traversal = traversals.get(shape);
        follower.startIfDue(shape, traversal);
        return traversal.bookmarks();
    }

    /// The index of the query has changed.
    void forget(FindQuery query) {
        traversals.invalidate(Shape.of(query));
    }
}
