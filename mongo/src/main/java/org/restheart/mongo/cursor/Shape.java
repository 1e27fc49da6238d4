package org.restheart.mongo.cursor;

import com.mongodb.MongoNamespace;
import org.bson.BsonDocument;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.ReadSettings;

/// What decides which document is at which position: queries of one shape share bookmarks. The access rule's filter is
/// part of the filter, so callers who may see different documents never share. Compares by value.
record Shape(MongoNamespace namespace, BsonDocument filter, BsonDocument sort, ReadSettings settings) {
    static Shape of(FindQuery query) {
        return new Shape(query.namespace(), query.filter(), query.sort(), query.settings());
    }
}
