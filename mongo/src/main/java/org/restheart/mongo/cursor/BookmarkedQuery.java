package org.restheart.mongo.cursor;

import com.mongodb.MongoNamespace;
import org.bson.BsonDocument;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.ReadSettings;

/// The parts of a query that determine the positions of documents: queries with the same [FindQuery#orderKey()]
/// share bookmarks. The access rule's filter is part of the filter, so callers who may see different documents never
/// share.
record BookmarkedQuery(MongoNamespace namespace, BsonDocument filter, BsonDocument sort, ReadSettings settings) {
    static BookmarkedQuery of(FindQuery query) {
        return new BookmarkedQuery(query.namespace(), query.filter().single(), query.sort(), query.settings());
    }
}
