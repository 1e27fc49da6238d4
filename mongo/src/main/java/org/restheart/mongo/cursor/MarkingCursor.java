package org.restheart.mongo.cursor;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// Sets bookmarks at the first and the last document that it hands out. Confined to one request.
final class MarkingCursor implements MongoCursor<RawBsonDocument> {
    private final MongoCursor<RawBsonDocument> documents;
    private final Bookmarks bookmarks;

    private long position;
    private boolean begun;
    private @Nullable RawBsonDocument last;

    /// @param position of the next document
    MarkingCursor(MongoCursor<RawBsonDocument> documents, Bookmarks bookmarks, long position) {
        this.documents = documents;
        this.bookmarks = bookmarks;
        this.position = position;
    }

    @Override
    public RawBsonDocument next() {
        return passing(documents.next());
    }

    @Override
    public @Nullable RawBsonDocument tryNext() {
        var next = documents.tryNext();
        return next == null ? null : passing(next);
    }

    private RawBsonDocument passing(RawBsonDocument document) {
        if (!begun) {
            begun = true;
            mark(position, document);
        }
        position++;
        last = document;
        return document;
    }

    private void mark(long at, RawBsonDocument document) {
        // Against the index, a range begins below the key: one further.
        long from = bookmarks.index().reverse() ? at + 1 : at;
        bookmarks.index().keyOf(document).ifPresent(key -> bookmarks.set(from, key));
    }

    @Override
    public boolean hasNext() {
        return documents.hasNext();
    }

    @Override
    public int available() {
        return documents.available();
    }

    @Override
    public void close() {
        var passed = last;
        if (passed != null) {
            last = null;
            mark(position - 1, passed);
        }
        documents.close();
    }

    @Override
    public @Nullable ServerCursor getServerCursor() {
        return documents.getServerCursor();
    }

    @Override
    public ServerAddress getServerAddress() {
        return documents.getServerAddress();
    }
}
