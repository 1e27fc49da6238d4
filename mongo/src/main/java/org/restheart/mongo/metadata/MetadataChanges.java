package org.restheart.mongo.metadata;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeFollower;
import org.restheart.mongo.background.ChangeSource;
import org.restheart.mongo.resource.ResourceNames;

/// Invalidates cached metadata that others have changed: properties of databases and collections, and what was
/// dropped or renamed. Where there are no change streams, or the user of MongoDB may not read them, entries
/// expire soon.
final class MetadataChanges implements ChangeSource, ChangeFollower.Receiver {
    /// Each is followed by a cursor of its own; more are followed together.
    private static final int MAX_DATABASES = 4;

    private static final String COLLECTION_PREFIX = Metadata.propertiesId("");

    private final MongoClient client;
    private final @Nullable String db;
    private final Metadata metadata;

    /// The followers, for the same metadata, that do not receive changes at present. Guarded by itself.
    private final Set<MetadataChanges> unfollowed;

    private MetadataChanges(
            MongoClient client, @Nullable String db, Metadata metadata, Set<MetadataChanges> unfollowed) {
        this.client = client;
        this.db = db;
        this.metadata = metadata;
        this.unfollowed = unfollowed;
    }

    /// @param databases empty for all
    static void follow(BackgroundTasks tasks, MongoClient client, Set<String> databases, Metadata metadata) {
        var unfollowed = new HashSet<MetadataChanges>();
        if (databases.isEmpty() || databases.size() > MAX_DATABASES) {
            unfollowed.add(new MetadataChanges(client, null, metadata, unfollowed));
        } else {
            databases.forEach(db -> unfollowed.add(new MetadataChanges(client, db, metadata, unfollowed)));
        }
        List.copyOf(unfollowed).forEach(changes -> start(tasks, client, changes));
    }

    private static void start(BackgroundTasks tasks, MongoClient client, MetadataChanges changes) {
        tasks.start("follow-metadata", new ChangeFollower(tasks, client, changes, changes)::followForEver);
    }

    @Override
    public String name() {
        return "the properties of " + (db == null ? "all databases" : db);
    }

    @Override
    public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
        return db == null
                ? client.watch(stages, RawBsonDocument.class)
                : client.getDatabase(db).watch(stages, RawBsonDocument.class);
    }

    @Override
    public List<BsonDocument> pipeline() {
        var properties = new BsonDocument("ns.coll", new BsonString(ResourceNames.PROPERTIES));
        var gone = new BsonDocument(
                "operationType",
                new BsonDocument(
                        "$in",
                        new BsonArray(List.of(
                                new BsonString("drop"), new BsonString("rename"), new BsonString("dropDatabase")))));
        var wanted = new BsonDocument();
        for (var field : List.of("operationType", "ns", "to", "documentKey")) {
            wanted.append(field, new BsonInt32(1));
        }
        return List.of(
                new BsonDocument("$match", new BsonDocument("$or", new BsonArray(List.of(properties, gone)))),
                new BsonDocument("$project", wanted));
    }

    @Override
    public void opened() {
        synchronized (unfollowed) {
            unfollowed.remove(this);
            metadata.followed(unfollowed.isEmpty());
        }
        metadata.forgetAll();
    }

    @Override
    public void ended() {
        synchronized (unfollowed) {
            unfollowed.add(this);
            metadata.followed(false);
        }
    }

    @Override
    public void received(Change change) {
        var event = change.document();
        if (event.getString("operationType", new BsonString("")).getValue().equals("invalidate")) {
            metadata.forgetAll();
            return;
        }
        forget(event.getDocument("ns", new BsonDocument()), event.get("documentKey"));
        forget(event.getDocument("to", new BsonDocument()), null);
    }

    private void forget(BsonDocument namespace, @Nullable Object key) {
        var database = text(namespace, "db");
        var collection = text(namespace, "coll");
        if (database.isEmpty()) {
            return;
        }
        if (collection.isEmpty() || (collection.equals(ResourceNames.PROPERTIES) && key == null)) {
            metadata.forgetDbAndCollections(database);
        } else if (!collection.equals(ResourceNames.PROPERTIES)) {
            metadata.forgetCollection(database, collection);
        } else if (key instanceof BsonDocument document && document.get("_id") instanceof BsonString id) {
            if (id.getValue().startsWith(COLLECTION_PREFIX)) {
                metadata.forgetCollection(database, id.getValue().substring(COLLECTION_PREFIX.length()));
            } else {
                metadata.forgetDb(database);
            }
        }
    }

    private static String text(BsonDocument document, String key) {
        return document.getString(key, new BsonString("")).getValue();
    }
}
