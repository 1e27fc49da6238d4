package org.restheart.rest.exchange;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCluster;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.RawBsonDocument;
import org.restheart.http.attribute.Key;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.Rehearsal;
import org.restheart.mongo.write.SessionCollection;

/// MongoDB's collections with the concerns and the read preference of a request, and with documents as raw bytes.
/// Thread-safe.
public final class RequestCollections {
    /// Of a request whose transaction is aborted in any case.
    public static final Key<Rehearsal> REHEARSAL = Key.named("rehearsal");

    private final MongoClient client;
    private final MongoCluster operations;

    public RequestCollections(MongoClient client) {
        this(client, client);
    }

    private RequestCollections(MongoClient client, MongoCluster operations) {
        this.client = client;
        this.operations = operations;
    }

    public RequestCollections within(Duration limit) {
        return new RequestCollections(client, operations.withTimeout(limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    public MongoClient client() {
        return client;
    }

    public MongoCollection<RawBsonDocument> of(DataRequest request) {
        return of(request, request.path().requireCollection());
    }

    public SessionCollection inSession(DataRequest request) {
        return new SessionCollection(
                of(request),
                request.session(),
                request.http().attribute(REHEARSAL).isPresent());
    }

    /// The collection with the properties of the database of the request's path.
    public MongoCollection<RawBsonDocument> properties(DataRequest request) {
        return of(request, ResourceNames.PROPERTIES);
    }

    private MongoCollection<RawBsonDocument> of(DataRequest request, String name) {
        var collection = operations.getDatabase(request.path().requireDb()).getCollection(name, RawBsonDocument.class);
        var parameters = request.parameters();
        if (parameters.concerns().readConcern().isPresent()) {
            collection = collection.withReadConcern(
                    parameters.concerns().readConcern().get());
        }
        if (parameters.concerns().readPreference().isPresent()) {
            collection = collection.withReadPreference(
                    parameters.concerns().readPreference().get());
        }
        if (parameters.concerns().writeConcern().isPresent()
                && request.session().isEmpty()) { // a commit has its own concern
            var wanted = parameters.concerns().writeConcern().get();
            if (!BoundedConcern.isDefault(wanted) || !BoundedConcern.isDefault(collection.getWriteConcern())) {
                collection = collection.withWriteConcern(wanted);
            }
        }
        return collection;
    }

    public MongoDatabase database(String db) {
        return operations.getDatabase(db);
    }
}
