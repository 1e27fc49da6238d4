package org.restheart.mongo.metadata;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.BsonValues;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.Stages;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.find.LargeReplies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads what is stored about databases and collections. Blocks for MongoDB.
public final class StoredMetadata {
    private static final Logger LOG = LoggerFactory.getLogger(StoredMetadata.class);

    /// Bytes of heap for one byte of properties in BSON: twice the measured 4 (empty arrays).
    public static final int EXPANSION = 8;

    /// Bytes of one resource's properties whose objects would take the whole part of the heap.
    private static final long MAX_PROPERTIES = MemoryBudget.Part.METADATA.bytes() / EXPANSION;

    private StoredMetadata() {}

    /// A collection or view as `listCollections` describes it; empty if there is none.
    public static Optional<BsonDocument> info(MongoDatabase database, String collection) {
        return Optional.ofNullable(database.listCollections(BsonDocument.class)
                .filter(new BsonDocument("name", new BsonString(collection)))
                .first());
    }

    /// The properties that are stored under an id; empty if there are none.
    ///
    /// @throws ProblemException 503 if they are larger than there is memory for: who writes them with MongoDB's own
    ///     tools is not bounded
    public static Optional<BsonDocument> properties(MongoDatabase database, String id) {
        var stored = LargeReplies.owned(() -> database.getCollection(ResourceNames.PROPERTIES, RawBsonDocument.class)
                .find(new BsonDocument("_id", new BsonString(id)))
                .first());
        if (stored != null && stored.getByteLength() > MAX_PROPERTIES) {
            LOG.warn("{}: properties of {} bytes are larger than there is memory for", id, stored.getByteLength());
            throw new ProblemException(
                    ProblemCode.OVERLOADED, "the properties of this resource are larger than there is memory for");
        }
        return Optional.ofNullable(stored).map(RawDocuments::toTree);
    }

    /// The properties of a database and its collections by the ids under which they are stored.
    ///
    /// @param maxBytes of all of them; those that do not fit are left out
    public static Map<String, BsonDocument> properties(MongoDatabase database, long maxBytes) {
        var properties = new HashMap<String, BsonDocument>();
        long left = maxBytes;
        try (var all = database.getCollection(ResourceNames.PROPERTIES, RawBsonDocument.class)
                .find()
                .cursor()) {
            while (all.hasNext()) {
                var stored = all.next();
                if (stored.getByteLength() <= left) {
                    left -= stored.getByteLength();
                    properties.put(
                            stored.get("_id") instanceof BsonString id ? id.getValue() : "",
                            RawDocuments.toTree(stored));
                }
            }
        }
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

    /// The collections that a view reads: the one it is defined on, and those of its stages, also by way of other
    /// views.
    ///
    /// @param info as `listCollections` describes a collection or a view
    static Set<MongoNamespace> sources(MongoDatabase database, BsonDocument info) {
        var found = new HashSet<MongoNamespace>();
        addSources(database, info, found);
        return Set.copyOf(found);
    }

    private static void addSources(MongoDatabase database, BsonDocument info, Set<MongoNamespace> found) {
        if (info.get("type") instanceof BsonString type && type.getValue().equals("view")) {
            var options = info.getDocument("options", new BsonDocument());
            add(database, options.getString("viewOn", new BsonString("")).getValue(), found);
            addReached(database, options.getArray("pipeline", new BsonArray()), found);
        }
    }

    private static void add(MongoDatabase database, String name, Set<MongoNamespace> found) {
        if (!name.isEmpty() && found.add(new MongoNamespace(database.getName(), name))) {
            info(database, name).ifPresent(source -> addSources(database, source, found));
        }
    }

    private static void addReached(MongoDatabase database, BsonValue value, Set<MongoNamespace> found) {
        if (value instanceof BsonDocument document) {
            document.forEach((name, operand) -> {
                Stages.reached(name, operand).ifPresent(reached -> add(database, reached.collection(), found));
            });
        }
        BsonValues.within(value).forEach(child -> addReached(database, child, found));
    }
}
