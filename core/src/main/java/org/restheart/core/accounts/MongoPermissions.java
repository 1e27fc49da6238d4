package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Sorts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonString;

/// Permissions in a collection. Thread-safe.
final class MongoPermissions implements Function<String, List<BsonDocument>> {
    private final MongoCollection<BsonDocument> collection;
    private final LookUp lookUp;

    MongoPermissions(MongoClient client, String database, String collection, LookUp lookUp) {
        this.lookUp = lookUp;
        this.collection = client.getDatabase(database).getCollection(collection, BsonDocument.class);
    }

    @Override
    public List<BsonDocument> apply(String role) {
        return lookUp.of(() -> collection
                .find(new BsonDocument("roles", new BsonString(role)))
                .sort(Sorts.descending("_id"))
                .into(new ArrayList<>()));
    }
}
