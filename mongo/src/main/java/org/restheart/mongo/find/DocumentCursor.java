package org.restheart.mongo.find;

import com.mongodb.ServerAddress;
import com.mongodb.ServerCursor;
import com.mongodb.client.MongoCursor;
import java.util.Iterator;
import java.util.List;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// What cursors have in common that are not the driver's: readers ask none for its server. Confined to one request.
public abstract class DocumentCursor implements MongoCursor<RawBsonDocument> {
    /// A cursor over documents that have been read before.
    public static MongoCursor<RawBsonDocument> of(List<RawBsonDocument> documents) {
        return new ListCursor(documents);
    }

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

    /// A cursor that changes what another one does.
    public abstract static class Wrapper extends DocumentCursor {
        private final MongoCursor<RawBsonDocument> cursor;

        protected Wrapper(MongoCursor<RawBsonDocument> cursor) {
            this.cursor = cursor;
        }

        @Override
        public boolean hasNext() {
            return cursor.hasNext();
        }

        @Override
        public RawBsonDocument next() {
            return cursor.next();
        }

        @Override
        public final int available() {
            return cursor.available();
        }

        @Override
        public void close() {
            cursor.close();
        }
    }

    private static final class ListCursor extends DocumentCursor {
        private final Iterator<RawBsonDocument> documents;
        private int left;

        ListCursor(List<RawBsonDocument> documents) {
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
}
