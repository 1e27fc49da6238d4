package org.restheart.core.accounts;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeFollower;
import org.restheart.mongo.background.ChangeSource;

/// Follows collections of one database and notifies listeners of changes. Listeners are also notified when no change
/// stream is available, permanently or during an interruption.
record CollectionFollower(MongoClient client, String database, Map<String, List<Listener>> listeners)
        implements ChangeSource, ChangeFollower.Receiver {
    /// Receives the changes of one collection; must not block.
    interface Listener {
        /// From now on every change is reported.
        void followed();

        /// From now on changes may be missed.
        void lost();

        /// @param id of the document; null if any of them may have changed
        void changed(@Nullable BsonDocument id);

        /// A write through this server may have changed any of them; it is also reported as a change, later.
        default void written() {
            changed(null);
        }
    }

    static void start(
            BackgroundTasks tasks, MongoClient client, String database, Map<String, List<Listener>> listeners) {
        var follower = new CollectionFollower(client, database, listeners);
        tasks.start("follow-" + database, new ChangeFollower(tasks, client, follower, follower)::followForEver);
    }

    @Override
    public String name() {
        return database;
    }

    @Override
    public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
        return client.getDatabase(database).watch(stages, RawBsonDocument.class);
    }

    /// Selects these collections and of each change only its identity; dropping the database ends the stream.
    @Override
    public List<BsonDocument> pipeline() {
        var names = BsonTexts.array(listeners.keySet());
        return List.of(
                new BsonDocument(
                        "$match",
                        new BsonDocument(
                                "$or",
                                new BsonArray(List.of(
                                        new BsonDocument("ns.coll", new BsonDocument("$in", names)),
                                        new BsonDocument("to.coll", new BsonDocument("$in", names)))))),
                new BsonDocument(
                        "$project", new BsonDocument("ns", new BsonInt32(1)).append("documentKey", new BsonInt32(1))));
    }

    @Override
    public void opened() {
        all().forEach(Listener::followed);
    }

    @Override
    public void interrupted() {
        all().forEach(Listener::lost);
    }

    @Override
    public void received(Change change) {
        var collection = change.document()
                .getDocument("ns", new BsonDocument())
                .getString("coll", new BsonString(""))
                .getValue();
        var ofCollection = listeners.get(collection);
        if (ofCollection == null) {
            all().forEach(each -> each.changed(null)); // another collection was renamed to this name
        } else {
            var id = change.document().get("documentKey") instanceof BsonDocument key ? key : null;
            ofCollection.forEach(listener -> listener.changed(id));
        }
    }

    private Stream<Listener> all() {
        return listeners.values().stream().flatMap(List::stream);
    }
}
