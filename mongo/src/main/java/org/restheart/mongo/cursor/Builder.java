package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets bookmarks in the background, a few queries at a time. No request waits for it. Thread-safe.
final class Builder {
    private static final Logger LOG = LoggerFactory.getLogger(Builder.class);

    private final SortIndexes indexes;
    private final Hops hops;
    private final long maxBytes;
    private final Semaphore free;
    private final PoolMeters meters;

    Builder(MongoClient client, CursorPoolConfig config, PoolMeters meters) {
        this.indexes = new SortIndexes(client);
        this.hops = new Hops(client, config.sliceWidth());
        this.maxBytes = config.maxBytesPerQuery();
        this.free = new Semaphore(config.builds());
        this.meters = meters;
    }

    /// Starts if it is time to and fewer than the bound are under way. Returns at once.
    void startIfDue(Shape shape, Traversal traversal) {
        if (!traversal.startBuild()) {
            return;
        }
        if (!free.tryAcquire()) {
            traversal.built();
            return;
        }
        Thread.ofVirtual().name("bookmarks").start(() -> {
            try {
                build(shape, traversal);
            } finally {
                traversal.built();
                free.release();
            }
        });
    }

    private void build(Shape shape, Traversal traversal) {
        try {
            // Before the first read, so that nothing the bookmarks say is older than they claim to be.
            long now = System.nanoTime();
            var index = indexes.find(shape.namespace(), shape.sort());
            if (index.isEmpty()) {
                traversal.giveUp();
                meters.unfit();
                return;
            }
            var fresh = new Bookmarks(index.get(), now, maxBytes);
            if (traversal.bookmarks().isEmpty()) {
                traversal.use(fresh); // the first ones help before the last are set
            }
            hops.go(shape, fresh);
            traversal.use(fresh);
            meters.built();
        } catch (MongoException e) {
            traversal.giveUp();
            meters.failed();
            LOG.warn("No bookmarks for deep pages of {}: {}", shape.namespace(), e.getMessage());
        } catch (IllegalStateException e) {
            LOG.debug("The MongoDB client was closed while bookmarks were set", e);
        }
    }
}
