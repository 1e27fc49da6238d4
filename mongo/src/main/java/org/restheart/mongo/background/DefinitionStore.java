package org.restheart.mongo.background;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the service of GraphQL apps needs beyond reads: it follows their definitions, whose paths a unique index keeps
/// apart, also among servers that write at the same time. Thread-safe.
public record DefinitionStore(BackgroundTasks tasks, MongoClient client) {
    private static final Logger LOG = LoggerFactory.getLogger(DefinitionStore.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final BsonDocument PATHS = new BsonDocument("descriptor.uri", new BsonInt32(1));

    /// Earlier releases identified apps by name.
    private static final BsonDocument NAMES = new BsonDocument("descriptor.name", new BsonInt32(1));

    /// As the constructor of [CollectionChanges].
    public CollectionChanges follow(String collection, String what, Consumer<String> changed) {
        return new CollectionChanges(tasks, client, collection, what, changed);
    }

    /// Creates the index in the background, once MongoDB is reachable.
    public void index(MongoNamespace definitions) {
        var collection = client.getDatabase(definitions.getDatabaseName())
                .getCollection(definitions.getCollectionName(), BsonDocument.class);
        tasks.start("graphql-indexes", () -> {
            while (tasks.isRunning() && !created(collection)) {
                tasks.pause(RETRY);
            }
        });
    }

    /// @return false to try again
    private static boolean created(MongoCollection<BsonDocument> collection) {
        try {
            collection.createIndex(PATHS, new IndexOptions().unique(true).sparse(true));
            for (var index : collection.listIndexes(BsonDocument.class)) {
                if (NAMES.equals(index.get("key"))) {
                    collection.dropIndex(index.getString("name").getValue());
                }
            }
            return true;
        } catch (MongoCommandException e) { // such as definitions that collide already
            LOG.warn(
                    "The index on descriptor.uri of {} could not be created: {}",
                    collection.getNamespace(),
                    e.getErrorMessage());
            return true;
        } catch (MongoException e) {
            LOG.debug("the index on descriptor.uri could not be created yet", e);
            return false;
        }
    }
}
