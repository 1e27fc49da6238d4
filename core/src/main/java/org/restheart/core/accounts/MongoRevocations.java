package org.restheart.core.accounts;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.http.Request;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.jwt.Revocations;

/// The ids of revoked tokens in a collection, from which MongoDB removes those that are over. Thread-safe.
final class MongoRevocations implements Revocations.Store {

    private final MongoCollection<BsonDocument> collection;
    private final InvalidatedCache<String, Boolean> kept;
    private final LookUp lookUp;
    private final AtomicBoolean indexed = new AtomicBoolean();

    /// @param kept whether a token is revoked, by its id; invalidated on changes
    MongoRevocations(
            MongoClient client, MongoNamespace namespace, InvalidatedCache<String, Boolean> kept, LookUp lookUp) {
        this.collection = client.getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), BsonDocument.class);
        this.kept = kept;
        this.lookUp = lookUp;
    }

    @Override
    public boolean add(String id, Optional<Instant> until) {
        try {
            return lookUp.once(() -> insert(id, until));
        } finally {
            kept.invalidate(id);
        }
    }

    private boolean insert(String id, Optional<Instant> until) {
        if (!indexed.get()) {
            collection.createIndex(
                    new BsonDocument("until", new BsonInt32(1)), new IndexOptions().expireAfter(0L, TimeUnit.SECONDS));
            indexed.set(true);
        }
        var revoked = new BsonDocument("_id", new BsonString(id)); // without `until`, MongoDB keeps it
        until.ifPresent(end -> revoked.append("until", new BsonDateTime(end.toEpochMilli())));
        try {
            collection.insertOne(revoked);
            return true;
        } catch (MongoWriteException e) {
            if (e.getError().getCode() == MongoCodes.DUPLICATE_KEY) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public boolean contains(Request request, String id) {
        var known = kept.get(id);
        if (known.isPresent()) {
            return known.get();
        }
        request.requireThread();
        var byId = new BsonDocument("_id", new BsonString(id));
        return Boolean.TRUE.equals(kept.load(
                id, _ -> lookUp.of(() -> collection.find(byId).first() != null)));
    }
}
