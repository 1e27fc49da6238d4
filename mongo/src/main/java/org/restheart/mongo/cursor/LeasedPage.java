package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// A page of a cursor that is leased to one request. Closing it parks the cursor at the end of the page, so that the
/// next page needs no skip. Confined to one request.
final class LeasedPage implements MongoCursor<RawBsonDocument> {
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
            long way = skip - cursor.position();
            fetch((int) Math.min(way + left, batchSize));
            for (long passed = 0; passed < way && batch.hasNext(); passed++) {
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
    public @Nullable RawBsonDocument tryNext() {
        return hasNext() ? next() : null;
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
        home.giveBack(cursor, !failed && hasAnother);
    }

    @Override
    public @Nullable ServerCursor getServerCursor() {
        return null; // the cursor is used for later pages
    }

    @Override
    public ServerAddress getServerAddress() {
        return cursor.server();
    }
}
