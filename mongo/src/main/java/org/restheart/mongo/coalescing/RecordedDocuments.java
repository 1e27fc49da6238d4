package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoCursor;
import java.util.ArrayList;
import java.util.List;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;

/// The documents of one query, kept while they are read for the first time, so that they can be read again. Confined to
/// one command.
final class RecordedDocuments {
    private final List<RawBsonDocument> documents = new ArrayList<>();
    private boolean complete;
    private boolean ended;

    /// A finder that keeps what it finds.
    Finder recording(Finder finder) {
        return (query, batchSize) -> {
            documents.clear();
            return new Recording(query, finder.find(query, batchSize));
        };
    }

    /// A finder of what was kept.
    Finder replaying() {
        return (_, _) -> DocumentCursor.of(documents);
    }

    /// Keeps no more, and nothing of a result that has not been read to its end: such a one can be large.
    void end() {
        ended = true;
        if (!complete) {
            documents.clear();
        }
    }

    /// Whether the whole result was kept.
    boolean isComplete() {
        return complete;
    }

    private final class Recording extends DocumentCursor.Wrapper {
        private final FindQuery query;

        Recording(FindQuery query, MongoCursor<RawBsonDocument> cursor) {
            super(cursor);
            this.query = query;
        }

        @Override
        public boolean hasNext() {
            boolean hasNext = super.hasNext();
            complete = complete || (!hasNext && !ended);
            return hasNext;
        }

        @Override
        public RawBsonDocument next() {
            var next = super.next();
            if (!ended) {
                documents.add(next);
                complete = documents.size() == query.limit();
            }
            return next;
        }
    }
}
