package org.restheart.mongo.find;

import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;

/// Asks what runs in a session of MongoDB itself: what others asked, or asked earlier, is no answer there. Thread-safe.
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
