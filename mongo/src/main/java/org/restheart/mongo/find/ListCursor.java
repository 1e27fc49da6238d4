package org.restheart.mongo.find;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import java.util.Iterator;
import java.util.List;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// A cursor over documents that have been read before. Confined to one request.
public final class ListCursor implements MongoCursor<RawBsonDocument> {
    private final Iterator<RawBsonDocument> documents;
    private final @Nullable ServerAddress from;
    private int left;

    /// @param from the server that was read; null if no server was asked
    public ListCursor(List<RawBsonDocument> documents, @Nullable ServerAddress from) {
        this.documents = documents.iterator();
        this.left = documents.size();
        this.from = from;
    }

    @Override
    public boolean hasNext() {
        return documents.hasNext();
    }

    @Override
    public RawBsonDocument next() {
        var next = documents.next();
        left--;
        return next;
    }

    @Override
    public @Nullable RawBsonDocument tryNext() {
        return hasNext() ? next() : null;
    }

    @Override
    public int available() {
        return left;
    }

    @Override
    public void close() {
        // nothing is open
    }

    @Override
    public @Nullable ServerCursor getServerCursor() {
        return null;
    }

    @Override
    public ServerAddress getServerAddress() {
        if (from == null) {
            throw new IllegalStateException("no server was asked");
        }
        return from;
    }
}
