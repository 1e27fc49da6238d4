package org.restheart.core.accounts;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.core.accounts.StoredSecurity.LookUp;
import org.restheart.http.Request;
import org.restheart.security.token.RenewableSessions.RefreshToken;

/// Refresh tokens in a collection, from which MongoDB removes those that are over. Thread-safe.
final class MongoRefreshTokens implements RefreshToken.Store {
    /// Bounds what a client can fill the collection with by beginning sessions: of an account, or of an address without
    /// one, so that no client ends the sessions of others.
    private static final int MAX_OF_CLIENT = 1_000;

    private final MongoCollection<BsonDocument> collection;
    private final LookUp lookUp;
    private final AtomicBoolean indexed = new AtomicBoolean();

    MongoRefreshTokens(MongoClient client, MongoNamespace stored, LookUp lookUp) {
        this.collection = client.getDatabase(stored.getDatabaseName())
                .getCollection(stored.getCollectionName(), BsonDocument.class);
        this.lookUp = lookUp;
    }

    private static BsonDocument byId(String digest) {
        return new BsonDocument("_id", new BsonString(digest));
    }

    @Override
    public Optional<RefreshToken> find(Request request, String digest) {
        request.requireThread();
        return lookUp.of(() -> Optional.ofNullable(collection.find(byId(digest)).first()))
                .flatMap(RefreshToken::of);
    }

    @Override
    public void insert(RefreshToken token) {
        if (!indexed.get()) {
            collection.createIndex(
                    new BsonDocument("expiresAt", new BsonInt32(1)),
                    new IndexOptions().expireAfter(0L, TimeUnit.SECONDS));
            collection.createIndex(byAge());
            collection.createIndex(new BsonDocument("session", new BsonInt32(1)));
            indexed.set(true);
        }
        deleteSurplus(token);
        collection.insertOne(token.toDocument());
    }

    /// Deletes all but the latest sessions of the client: those that begin at the same time are more together.
    private void deleteSurplus(RefreshToken token) {
        var ofClient = new BsonDocument("account", new BsonString(token.account()))
                .append(
                        "address",
                        token.address().<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE));
        var oldest = collection
                .find(ofClient)
                .sort(new BsonDocument("createdAt", new BsonInt32(-1)))
                .skip(MAX_OF_CLIENT - 1)
                .limit(1)
                .projection(new BsonDocument("createdAt", new BsonInt32(1)))
                .first();
        if (oldest != null) {
            collection.deleteMany(ofClient.append("createdAt", new BsonDocument("$lte", oldest.get("createdAt"))));
        }
    }

    private static BsonDocument byAge() {
        return new BsonDocument("account", new BsonInt32(1))
                .append("address", new BsonInt32(1))
                .append("createdAt", new BsonInt32(-1));
    }

    @Override
    public void delete(String digest) {
        collection.deleteOne(byId(digest));
    }

    @Override
    public void deleteOf(String lineage) {
        collection.deleteMany(new BsonDocument("session", new BsonString(lineage)));
    }
}
