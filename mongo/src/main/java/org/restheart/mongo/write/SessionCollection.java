package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.DeleteResult;
import com.mongodb.client.result.UpdateResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.mongo.concern.BoundedConcern;

/// A collection with the session of all its operations, if any, so that no operation can omit it. Confined to one
/// request.
public final class SessionCollection {
    /// The time limit of a write of one document, unless less is left to its request; far more than one takes unless
    /// the document is locked.
    public static final Duration LONGEST_WRITE = Duration.ofSeconds(5);

    private final MongoCollection<RawBsonDocument> collection;
    private final Optional<ClientSession> session;
    private final boolean rehearses;

    /// The time limit, in milliseconds, of a write of one document that the current request sends now.
    public static int limitMillis() {
        return (int) BoundedConcern.left(LONGEST_WRITE).toMillis();
    }

    public SessionCollection(MongoCollection<RawBsonDocument> collection, Optional<ClientSession> session) {
        this(collection, session, false);
    }

    /// @param rehearses whether the transaction is aborted in any case
    public SessionCollection(
            MongoCollection<RawBsonDocument> collection, Optional<ClientSession> session, boolean rehearses) {
        this.collection = collection;
        this.session = session;
        this.rehearses = rehearses;
    }

    /// Whether the operations are those of a rehearsal, whose transaction is aborted in any case.
    boolean rehearses() {
        return rehearses;
    }

    public SessionCollection in(ClientSession other) {
        return new SessionCollection(collection, Optional.of(other));
    }

    /// The transaction that the client has begun, if the operations run in one.
    public Optional<ClientSession> transaction() {
        return session.filter(ClientSession::hasActiveTransaction);
    }

    /// Whether the operations run in a session that a client has named.
    public boolean inSession() {
        return session.isPresent();
    }

    public MongoNamespace namespace() {
        return collection.getNamespace();
    }

    public WriteConcern writeConcern() {
        return collection.getWriteConcern();
    }

    /// With an acknowledged write concern, where the response depends on the outcome.
    SessionCollection acknowledged() {
        return new SessionCollection(acknowledged(collection), session, rehearses);
    }

    static <T> MongoCollection<T> acknowledged(MongoCollection<T> collection) {
        return collection.getWriteConcern().isAcknowledged()
                ? collection
                : collection.withWriteConcern(WriteConcern.W1);
    }

    public SessionCollection with(ReadPreference preference) {
        return new SessionCollection(collection.withReadPreference(preference), session, rehearses);
    }

    public FindIterable<RawBsonDocument> find(BsonDocument filter) {
        return session.map(s -> collection.find(s, filter)).orElseGet(() -> collection.find(filter));
    }

    /// The collection with the time limit: if a transaction of another client has locked the document,
    /// MongoDB would wait until that ends. MongoDB and the driver give a write up at the same time; where the
    /// server is near, the driver mostly is the first, and the outcome is not known. Within a transaction
    /// MongoDB does not wait.
    private MongoCollection<RawBsonDocument> limited() {
        return transaction().isPresent() || collection.getTimeout(TimeUnit.MILLISECONDS) != null
                ? collection
                : collection.withTimeout(limitMillis(), TimeUnit.MILLISECONDS);
    }

    public void insertOne(RawBsonDocument document) {
        session.ifPresentOrElse(
                s -> limited().insertOne(s, document), () -> limited().insertOne(document));
    }

    public UpdateResult replaceOne(BsonDocument filter, RawBsonDocument document, ReplaceOptions options) {
        return session.map(s -> limited().replaceOne(s, filter, document, options))
                .orElseGet(() -> limited().replaceOne(filter, document, options));
    }

    public UpdateResult updateOne(BsonDocument filter, BsonDocument update, UpdateOptions options) {
        return session.map(s -> limited().updateOne(s, filter, update, options))
                .orElseGet(() -> limited().updateOne(filter, update, options));
    }

    public UpdateResult updateOne(BsonDocument filter, List<BsonDocument> stages, UpdateOptions options) {
        return session.map(s -> limited().updateOne(s, filter, stages, options))
                .orElseGet(() -> limited().updateOne(filter, stages, options));
    }

    public DeleteResult deleteOne(BsonDocument filter, DeleteOptions options) {
        return session.map(s -> limited().deleteOne(s, filter, options))
                .orElseGet(() -> limited().deleteOne(filter, options));
    }
}
