package org.restheart.mongo.metadata;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.resource.ResourceNames;

/// Reads all stored properties and JSON Schemas of a database. Blocks for MongoDB. Thread-safe.
public final class StoredMetadata {
    private final MongoClient client;

    public StoredMetadata(MongoClient client) {
        this.client = client;
    }

    /// The properties of a database and its collections by the ids under which they are stored.
    public Map<String, BsonDocument> properties(String db) {
        var properties = new HashMap<String, BsonDocument>();
        client.getDatabase(db)
                .getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .find()
                .forEach(stored ->
                        properties.put(stored.get("_id") instanceof BsonString id ? id.getValue() : "", stored));
        return properties;
    }

    /// The stored JSON Schemas, as they are stored, by id.
    ///
    /// @param limit at most so many
    /// @param maxBytes of all of them; those that do not fit are left out
    public List<BsonDocument> schemas(String db, int limit, long maxBytes) {
        var schemas = new ArrayList<BsonDocument>();
        long left = maxBytes;
        try (var all = client.getDatabase(db)
                .getCollection("_schemas", RawBsonDocument.class)
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
