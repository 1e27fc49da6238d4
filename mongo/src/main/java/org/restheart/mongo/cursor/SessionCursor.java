package org.restheart.mongo.cursor;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// Ends the session of its documents with them. Confined to one request.
final class SessionCursor implements MongoCursor<RawBsonDocument> {
    private final MongoCursor<RawBsonDocument> documents;
    private final ClientSession session;

    SessionCursor(MongoCursor<RawBsonDocument> documents, ClientSession session) {
        this.documents = documents;
        this.session = session;
    }

    ClientSession session() {
        return session;
    }

    @Override
    public boolean hasNext() {
        return documents.hasNext();
    }

    @Override
    public RawBsonDocument next() {
        return documents.next();
    }

    @Override
    public @Nullable RawBsonDocument tryNext() {
        return documents.tryNext();
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
            session.close();
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
