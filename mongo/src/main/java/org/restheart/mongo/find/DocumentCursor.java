package org.restheart.mongo.find;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// What cursors have in common that are not the driver's: readers ask none for its server. Confined to one request.
public abstract class DocumentCursor implements MongoCursor<RawBsonDocument> {
    @Override
    public final @Nullable RawBsonDocument tryNext() {
        return hasNext() ? next() : null;
    }

    @Override
    public final @Nullable ServerCursor getServerCursor() {
        return null;
    }

    @Override
    public final ServerAddress getServerAddress() {
        throw new UnsupportedOperationException();
    }
}
