package org.restheart.mongo.cursor;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import java.util.function.Consumer;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// A page that reports each document read, and its end. Confined to one request.
final class PageCursor implements MongoCursor<RawBsonDocument> {
    private final MongoCursor<RawBsonDocument> documents;
    private final Consumer<RawBsonDocument> onRead;
    private final Runnable onClose;

    PageCursor(MongoCursor<RawBsonDocument> documents, Consumer<RawBsonDocument> onRead, Runnable onClose) {
        this.documents = documents;
        this.onRead = onRead;
        this.onClose = onClose;
    }

    @Override
    public boolean hasNext() {
        return documents.hasNext();
    }

    @Override
    public RawBsonDocument next() {
        var next = documents.next();
        onRead.accept(next);
        return next;
    }

    @Override
    public @Nullable RawBsonDocument tryNext() {
        var next = documents.tryNext();
        if (next != null) {
            onRead.accept(next);
        }
        return next;
    }

    @Override
    public int available() {
        return documents.available();
    }

    @Override
    public void close() {
        try {
            documents.close();
        } finally {
            onClose.run();
        }
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
