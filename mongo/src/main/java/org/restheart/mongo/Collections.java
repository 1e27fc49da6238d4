package org.restheart.mongo;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.RawBsonDocument;
import org.restheart.mongo.resource.Names;

/// MongoDB's collections as requests want them: with the concerns and the read preference they ask for, and
/// documents as raw bytes. Thread-safe.
public final class Collections {
    private final MongoClient client;

    public Collections(MongoClient client) {
        this.client = client;
    }

    public MongoClient client() {
        return client;
    }

    /// The collection of the request's path.
    public MongoCollection<RawBsonDocument> of(DataRequest request) {
        return of(request, request.path().requireCollection());
    }

    /// Where the database of the request's path keeps properties.
    public MongoCollection<RawBsonDocument> properties(DataRequest request) {
        return of(request, Names.PROPERTIES);
    }

    private MongoCollection<RawBsonDocument> of(DataRequest request, String name) {
        var collection = client.getDatabase(request.path().requireDb()).getCollection(name, RawBsonDocument.class);
        var parameters = request.parameters();
        if (parameters.readConcern().isPresent()) {
            collection = collection.withReadConcern(parameters.readConcern().get());
        }
        if (parameters.readPreference().isPresent()) {
            collection =
                    collection.withReadPreference(parameters.readPreference().get());
        }
        if (parameters.writeConcern().isPresent()) {
            collection = collection.withWriteConcern(parameters.writeConcern().get());
        }
        return collection;
    }

    public MongoDatabase database(String db) {
        return client.getDatabase(db);
    }
}
