package org.restheart.mongo.find;

import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;

/// Runs queries in a session directly on MongoDB, since shared or cached results do not apply there. Thread-safe.
public final class SessionFinder implements Finder {
    private final Finder inSession;
    private final Finder others;

    public SessionFinder(Finder inSession, Finder others) {
        this.inSession = inSession;
        this.others = others;
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        return (query.settings().session().isPresent() ? inSession : others).find(query, batchSize);
    }
}
