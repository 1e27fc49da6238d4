package org.restheart.mongo.write;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.CreateIndexOptions;
import com.mongodb.client.model.IndexModel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.mongo.error.MongoCodes;

/// Operations that lock a whole collection. One that waits for the end of an open transaction lets all reads and writes
/// of the collection wait behind it, so it may wait for as long as a write of one document only: those behind it have
/// limits of their own.
public final class CollectionLock {
    private CollectionLock() {}

    /// @param operation with the time limit; one that exceeds it has changed nothing
    /// @throws org.restheart.http.ProblemException 503 after the time limit
    public static <T> T within(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (MongoExecutionTimeoutException _) {
            throw MongoCodes.unavailable(
                            "nothing was changed: open transactions hold the collection. Try again when they have"
                                    + " ended")
                    .raise();
        }
    }

    /// Makes indexes that do not exist. Those that take long, in a collection with many documents, are begun
    /// again when it is certain that it is not a transaction that they wait for.
    ///
    /// @throws org.restheart.http.ProblemException 503 after the time limit
    public static void createIndexes(MongoDatabase database, MongoCollection<?> collection, List<IndexModel> indexes) {
        try {
            var _ = collection.createIndexes(
                    indexes, new CreateIndexOptions().maxTime(SessionCollection.limitMillis(), TimeUnit.MILLISECONDS));
        } catch (MongoExecutionTimeoutException _) {
            require(database, collection.getNamespace().getCollectionName());
            var _ = collection.createIndexes(indexes);
        }
    }

    /// Waits until no transaction holds a collection of a database, one after the other: whatever locks the whole
    /// database waits for transactions in each of them, and all that comes later waits behind it.
    ///
    /// @throws org.restheart.http.ProblemException 503 after the time limit
    public static void requireAll(MongoDatabase database) {
        for (var collection : database.listCollectionNames()) {
            require(database, collection);
        }
    }

    /// Waits until no transaction holds the collection, for an operation that cannot have a time limit: it may take
    /// long once it has the lock, or must not fail half-way. Takes the lock to drop an index that does not exist.
    /// A transaction that begins afterwards may still be waited for.
    ///
    /// @throws org.restheart.http.ProblemException 503 after the time limit
    public static void require(MongoDatabase database, String collection) {
        var command = new BsonDocument("dropIndexes", new BsonString(collection))
                .append("index", new BsonString("_none_" + new ObjectId()))
                .append("maxTimeMS", new BsonInt32(SessionCollection.limitMillis()));
        try {
            var _ = within(() -> database.runCommand(command));
        } catch (MongoCommandException _) {
            // there is no such index; no such collection; or MongoDB's user may not drop indexes
        }
    }
}
