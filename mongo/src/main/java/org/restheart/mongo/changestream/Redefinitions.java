package org.restheart.mongo.changestream;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.resource.ResourceNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes the connections of listeners whose stream was redefined: at once for a change by this gateway, after the
/// check interval for others. Thread-safe.
final class Redefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(Redefinitions.class);

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final Supplier<Collection<SharedStream>> streams;

    /// @param interval how often definitions are read, while there are streams
    Redefinitions(
            BackgroundTasks tasks, MongoClient client, Duration interval, Supplier<Collection<SharedStream>> streams) {
        this.tasks = tasks;
        this.client = client;
        this.streams = streams;
        tasks.repeat("redefinitions", interval, this::checkAll);
    }

    /// Never blocks.
    void changed(String db, String collection) {
        var namespace = new MongoNamespace(db, collection);
        if (streams.get().stream().anyMatch(stream -> stream.key().namespace().equals(namespace))) {
            tasks.start("redefinition", () -> check(namespace));
        }
    }

    private void checkAll() {
        streams.get().stream()
                .map(stream -> stream.key().namespace())
                .collect(Collectors.toSet())
                .forEach(this::check);
    }

    private void check(MongoNamespace namespace) {
        try {
            var database = client.getDatabase(namespace.getDatabaseName());
            var properties = database.getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                    .find(eq("_id", Metadata.propertiesId(namespace.getCollectionName())))
                    .first();
            if (properties == null && isGone(namespace)) {
                return; // the change stream ends itself, after earlier events
            }
            var known = properties == null ? new BsonDocument() : properties;
            streams.get().stream()
                    .filter(stream -> stream.key().namespace().equals(namespace))
                    .forEach(stream -> stream.keepDefinedBy(known));
        } catch (MongoException | IllegalStateException e) { // the latter when the client has been closed
            LOG.debug("definitions of {} could not be read: {}", namespace, e.toString());
        }
    }

    private boolean isGone(MongoNamespace namespace) {
        return client.getDatabase(namespace.getDatabaseName())
                        .listCollections(BsonDocument.class)
                        .filter(eq("name", namespace.getCollectionName()))
                        .first()
                == null;
    }
}
