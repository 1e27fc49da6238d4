package org.restheart.mongo.metadata;

import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.resource.ResourceNames;

/// Reads what is stored about databases and collections. Blocks for MongoDB.
public final class StoredMetadata {
    private StoredMetadata() {}

    /// A collection or view as `listCollections` describes it; empty if there is none.
    public static Optional<BsonDocument> info(MongoDatabase database, String collection) {
        return Optional.ofNullable(database.listCollections(BsonDocument.class)
                .filter(new BsonDocument("name", new BsonString(collection)))
                .first());
    }

    /// The properties that are stored under an id; empty if there are none.
    public static Optional<BsonDocument> properties(MongoDatabase database, String id) {
        return Optional.ofNullable(database.getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .find(new BsonDocument("_id", new BsonString(id)))
                .first());
    }

    /// The properties of a database and its collections by the ids under which they are stored.
    public static Map<String, BsonDocument> properties(MongoDatabase database) {
        var properties = new HashMap<String, BsonDocument>();
        database.getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .find()
                .forEach(stored ->
                        properties.put(stored.get("_id") instanceof BsonString id ? id.getValue() : "", stored));
        return properties;
    }

    /// The stored JSON Schemas, as they are stored, by id.
    ///
    /// @param limit at most so many
    /// @param maxBytes of all of them; those that do not fit are left out
    public static List<BsonDocument> schemas(MongoDatabase database, int limit, long maxBytes) {
        var schemas = new ArrayList<BsonDocument>();
        long left = maxBytes;
        try (var all = database.getCollection("_schemas", RawBsonDocument.class)
                .find()
                .sort(new BsonDocument("_id", new BsonInt32(1)))
                .limit(limit)
                .cursor()) {
            while (all.hasNext()) {
                var schema = all.next();
                if (schema.getByteLength() <= left) {
                    left -= schema.getByteLength();
                    schemas.add(RawDocuments.toTree(schema));
                }
            }
        }
        return schemas;
    }
}
