package org.restheart.mongo.cursor;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import java.util.Iterator;
import java.util.List;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// Documents that are at hand. Confined to one request.
final class ListCursor implements MongoCursor<RawBsonDocument> {
    private final Iterator<RawBsonDocument> documents;
    private final ServerAddress from;
    private int left;

    ListCursor(List<RawBsonDocument> documents, ServerAddress from) {
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
        return from;
    }
}
