package org.restheart.rest.management;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Lease;
import org.restheart.http.judged.DataCatalog;
import org.restheart.mongo.find.LargeReplies;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.metadata.StoredMetadata;

/// Lists databases, collections and indexes, without a cache. Reserved names never appear. Blocks for MongoDB.
/// Thread-safe.
public record Catalog(MongoClient client) implements DataCatalog {
    /// The names of all databases, by code point.
    @Override
    public List<String> databases() {
        var names = client.listDatabaseNames().into(new ArrayList<>());
        names.removeIf(ResourceNames::isReservedDb);
        names.sort(DataCatalog.BY_CODE_POINT);
        return names;
    }

    @Override
    public List<Entry> collections(String db) {
        var entries = new ArrayList<Entry>();
        for (var info : client.getDatabase(db).listCollections(RawBsonDocument.class)) {
            var name = info.getString("name").getValue();
            if (!ResourceNames.isReservedCollection(name)) {
                entries.add(new Entry(
                        name,
                        info.getString("type", new BsonString("collection")).getValue()));
            }
        }
        entries.sort(Comparator.comparing(Entry::name, DataCatalog.BY_CODE_POINT));
        return entries;
    }

    @Override
    public Optional<BsonDocument> validator(String db, String collection) {
        return StoredMetadata.info(client.getDatabase(db), collection).flatMap(Catalog::validator);
    }

    /// The JSON Schema of a collection's validator.
    ///
    /// @param info as `listCollections` describes it
    public static Optional<BsonDocument> validator(BsonDocument info) {
        return info.get("options") instanceof BsonDocument options
                        && options.get("validator") instanceof BsonDocument validator
                        && validator.get("$jsonSchema") instanceof BsonDocument schema
                ? Optional.of(schema)
                : Optional.empty();
    }

    /// The names of a database's collections, by code point.
    List<String> names(String db) {
        var names = client.getDatabase(db).listCollectionNames().into(new ArrayList<>());
        names.removeIf(ResourceNames::isReservedCollection);
        names.sort(DataCatalog.BY_CODE_POINT);
        return names;
    }

    /// The stored properties of some of a database's collections, by name.
    ///
    /// @param lease holds what they take
    /// @throws org.restheart.http.ProblemException 503 without memory for them
    Map<String, BsonDocument> properties(String db, List<String> collections, Lease lease) {
        var names = new HashMap<BsonString, String>();
        collections.forEach(name -> names.put(new BsonString(Metadata.propertiesId(name)), name));
        var found = new HashMap<String, BsonDocument>();
        var wanted = new BsonDocument("_id", new BsonDocument("$in", new BsonArray(List.copyOf(names.keySet()))));
        return LargeReplies.owned(() -> {
            client.getDatabase(db)
                    .getCollection(ResourceNames.PROPERTIES, RawBsonDocument.class)
                    .find(wanted)
                    .forEach(stored -> {
                        lease.hold((long) StoredMetadata.EXPANSION * stored.getByteLength());
                        found.put(names.get(stored.getString("_id")), RawDocuments.toTree(stored));
                    });
            return found;
        });
    }

    /// The specifications of a collection's indexes, as MongoDB returns them.
    public List<BsonDocument> indexes(MongoNamespace namespace) {
        return client.getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName())
                .listIndexes(BsonDocument.class)
                .into(new ArrayList<>());
    }
}
