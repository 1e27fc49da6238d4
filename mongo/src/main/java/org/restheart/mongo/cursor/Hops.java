package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bson.RawBsonDocument;

/// Sets the bookmarks of a shape ahead of requests, hopping through the index: each hop reads one key and no document,
/// unless the filter needs more than the index has. Waits for MongoDB. Thread-safe.
final class Hops {
    /// Of one hop; MongoDB gives up on it then.
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /// When hops take longer, they become shorter, since a page may have to wait for that much, too.
    private static final Duration LONG = Duration.ofMillis(20);

    /// Between hops there is a rest as long as the hop, so that MongoDB is busy with them half of the time at most, but
    /// no longer than this.
    private static final Duration REST = Duration.ofMillis(5);

    /// Of all hops together: what has been reached by then must do.
    private static final Duration TOTAL = Duration.ofMinutes(2);

    /// So many long hops in a row are no accident of a busy machine.
    private static final int IN_A_ROW = 4;

    /// Hops become no shorter than this part of the width, so that the end is reached.
    private static final int SHORTEST = 8;

    private static final int LONGEST = 1 << 20;

    private final MongoClient client;
    private final int width;

    /// @param width documents of a hop
    Hops(MongoClient client, int width) {
        this.client = client;
        this.width = width;
    }

    /// Goes from the first document to the last.
    ///
    /// @throws MongoException if MongoDB refuses or cannot be asked; the bookmarks so far stay
    void go(Shape shape, Bookmarks bookmarks) {
        go(shape, bookmarks, Optional.empty());
    }

    /// @param snapshot a session that sees one point in time; absent to see what there is
    void go(Shape shape, Bookmarks bookmarks, Optional<ClientSession> snapshot) {
        var collection = shape.settings()
                .apply(client.getDatabase(shape.namespace().getDatabaseName())
                        .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class));
        var index = bookmarks.index();
        long start = System.nanoTime();
        long position = 0;
        int step = width;
        int longHops = 0;
        RawBsonDocument key = null;
        while (System.nanoTime() - start < TOTAL.toNanos()) {
            long before = System.nanoTime();
            var hop = snapshot.map(session -> collection.find(session, shape.filter()))
                    .orElseGet(() -> collection.find(shape.filter()))
                    .sort(shape.sort())
                    .hint(index.pattern())
                    .returnKey(true)
                    .skip(index.reverse() ? step - 1 : step)
                    .limit(1)
                    .maxTime(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (key != null) {
                hop = index.reverse() ? hop.max(key) : hop.min(key);
            }
            key = hop.first();
            if (key == null) {
                return;
            }
            position += step;
            bookmarks.set(position, key);
            long took = System.nanoTime() - before;
            LockSupport.parkNanos(Math.min(took, REST.toNanos()));
            longHops = took > LONG.toNanos() ? longHops + 1 : 0;
            if (longHops == IN_A_ROW) {
                longHops = 0;
                step = Math.max(Math.ceilDiv(width, SHORTEST), step / 2);
            }
            step = (int) Math.max(step, Math.min(bookmarks.spacing(), LONGEST));
        }
    }
}
