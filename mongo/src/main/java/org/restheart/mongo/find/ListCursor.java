package org.restheart.mongo.find;

import java.util.Iterator;
import java.util.List;
import org.bson.RawBsonDocument;

/// A cursor over documents that have been read before. Confined to one request.
public final class ListCursor extends DocumentCursor {
    private final Iterator<RawBsonDocument> documents;
    private int left;

    public ListCursor(List<RawBsonDocument> documents) {
        this.documents = documents.iterator();
        this.left = documents.size();
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
    public int available() {
        return left;
    }

    @Override
    public void close() {
        // nothing is open
    }
}
