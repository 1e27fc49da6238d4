package org.restheart.core.accounts;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.core.accounts.StoredSecurity.LookUp;
import org.restheart.http.Request;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.apikey.ApiKey;
import org.restheart.security.apikey.ApiKey.ApiKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keys in a collection. Thread-safe.
final class MongoApiKeys implements ApiKeys {
    private static final Logger LOG = LoggerFactory.getLogger(MongoApiKeys.class);
    private static final int MAX_LISTED = 10_000;
    private static final int MAX_NOTED = 10_000;
    private static final long DAYS_AFTER_END = 30;

    private final MongoCollection<BsonDocument> collection;
    private final LookUp lookUp;
    private final InvalidatedCache<String, ApiKey> cache;
    private final InvalidatedCache<String, ApiKey> cacheByHandle;
    private final Runnable onChange;
    private final AtomicBoolean indexed = new AtomicBoolean();
    /// The hour in which the last use of a key was recorded, by digest.
    private final Cache<String, Instant> noted =
            Caffeine.newBuilder().executor(Runnable::run).maximumSize(MAX_NOTED).build();

    /// @param onChange called when this server has changed a key and invalidated it in the caches
    MongoApiKeys(
            MongoCollection<BsonDocument> collection,
            InvalidatedCache<String, ApiKey> cache,
            InvalidatedCache<String, ApiKey> cacheByHandle,
            LookUp lookUp,
            Runnable onChange) {
        this.lookUp = lookUp;
        this.onChange = onChange;
        this.collection = collection;
        this.cache = cache;
        this.cacheByHandle = cacheByHandle;
    }

    @Override
    public Optional<ApiKey> find(Request request, String digest) {
        return cached(request, cache, digest, () -> first(byId(digest)));
    }

    @Override
    public Optional<ApiKey> find(Request request, ObjectId handle) {
        return cached(request, cacheByHandle, handle.toHexString(), () -> byHandle(handle));
    }

    private Optional<ApiKey> cached(
            Request request, InvalidatedCache<String, ApiKey> keys, String name, Supplier<Optional<ApiKey>> stored) {
        var known = keys.get(name);
        if (known.isPresent()) {
            return known;
        }
        request.requireThread();
        return Optional.ofNullable(keys.load(name, _ -> lookUp.of(stored).orElse(null)));
    }

    private Optional<ApiKey> first(BsonDocument filter) {
        return Optional.ofNullable(collection.find(filter).first()).flatMap(ApiKey::of);
    }

    private void invalidate(ApiKey key) {
        cache.invalidate(key.digest());
        cacheByHandle.invalidate(key.handle().toHexString());
        onChange.run();
    }

    private static BsonDocument byId(String digest) {
        return new BsonDocument("_id", new BsonString(digest));
    }

    @Override
    public boolean insert(ApiKey key) {
        if (!indexed.get()) {
            collection.createIndex(
                    new BsonDocument("expiresAt", new BsonInt32(1)),
                    new IndexOptions().expireAfter(DAYS_AFTER_END, TimeUnit.DAYS));
            collection.createIndex(new BsonDocument("account", new BsonInt32(1)));
            collection.createIndex(new BsonDocument("handle", new BsonInt32(1)));
            indexed.set(true);
        }
        try {
            collection.insertOne(key.toDocument());
            invalidate(key);
            return true;
        } catch (MongoWriteException e) {
            if (e.getError().getCode() == MongoCodes.DUPLICATE_KEY) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public Optional<ApiKey> byHandle(ObjectId handle) {
        return first(new BsonDocument("handle", new BsonObjectId(handle)));
    }

    @Override
    public List<ApiKey> list(Optional<String> account) {
        var filter = account.map(name -> new BsonDocument("account", new BsonString(name)))
                .orElseGet(BsonDocument::new);
        var keys = new ArrayList<ApiKey>();
        collection
                .find(filter)
                .sort(new BsonDocument("handle", new BsonInt32(1)))
                .limit(MAX_LISTED)
                .forEach(document -> ApiKey.of(document).ifPresent(keys::add));
        return keys;
    }

    @Override
    public long count(String account) {
        return collection
                .withReadPreference(ReadPreference.primary())
                .countDocuments(new BsonDocument("account", new BsonString(account)));
    }

    @Override
    public void update(ApiKey key, BsonDocument changes) {
        try {
            collection.updateOne(byId(key.digest()), new BsonDocument("$set", changes));
        } finally {
            invalidate(key);
        }
    }

    @Override
    public void delete(ApiKey key) {
        try {
            collection.deleteOne(byId(key.digest()));
        } finally {
            invalidate(key);
        }
    }

    @Override
    public void used(ApiKey key, Instant at) {
        var hour = at.truncatedTo(ChronoUnit.HOURS);
        if (key.lastUsedAt().filter(last -> !last.isBefore(hour)).isPresent()
                || hour.equals(noted.asMap().put(key.digest(), hour))) {
            return;
        }
        var _ = Thread.ofVirtual().name("api-key-use").start(() -> note(key, hour));
    }

    private void note(ApiKey key, Instant hour) {
        try {
            collection.updateOne(
                    byId(key.digest()),
                    new BsonDocument("$max", new BsonDocument("lastUsedAt", new BsonDateTime(hour.toEpochMilli()))));
        } catch (MongoException | IllegalStateException e) { // the client may be closed by now
            LOG.debug("the use of a key could not be recorded: {}", e.toString());
        }
    }
}
