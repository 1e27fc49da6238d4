package org.restheart.mongo.cursor;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.QueryKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A cursor of MongoDB at a position of a result, with the session in which it was opened. No documents are
/// buffered: they are read when they are requested. Confined to one thread at a time.
final class PositionedCursor {
    private static final Logger LOG = LoggerFactory.getLogger(PositionedCursor.class);

    private final QueryKey key;
    private final MongoDatabase database;
    private final ClientSession session;
    private final ServerAddress server;
    private final String collection;
    private final long openedAt;
    private final long end;

    private long id;
    private long position;
    private boolean used;
    private long parkedAt;

    /// @param reply of the command that opened it, whose documents are before the position
    /// @param position of the next document
    /// @param end position after the last document that it reads
    /// @param openedAt before it was opened, in [System#nanoTime()]
    PositionedCursor(
            QueryKey key,
            MongoDatabase database,
            ClientSession session,
            ServerAddress server,
            BsonDocument reply,
            long position,
            long end,
            long openedAt) {
        this.key = key;
        this.database = database;
        this.session = session;
        this.server = server;
        // That of a view may differ from the requested one.
        this.collection =
                reply.getString("ns").getValue().substring(database.getName().length() + 1);
        this.id = reply.getInt64("id").getValue();
        this.position = position;
        this.end = end;
        this.openedAt = openedAt;
    }

    QueryKey key() {
        return key;
    }

    ServerAddress server() {
        return server;
    }

    /// The position of the next document in the result, as of the time when the cursor was advanced.
    long position() {
        return position;
    }

    /// The position after the last document that it reads.
    long end() {
        return end;
    }

    /// In [System#nanoTime()].
    long openedAt() {
        return openedAt;
    }

    /// Whether it has not been read from, so that it is at its initial position.
    boolean isFresh() {
        return !used;
    }

    /// Whether MongoDB has closed it, since all documents have been read.
    boolean isSpent() {
        return id == 0;
    }

    void parked(long now) {
        parkedAt = now;
    }

    long parkedAt() {
        return parkedAt;
    }

    /// The next documents, fewer than that many if they are large or the result ends.
    ///
    /// @throws MongoException also if MongoDB has closed it for another reason
    List<RawBsonDocument> next(int documents) {
        used = true;
        var command = new BsonDocument("getMore", new BsonInt64(id))
                .append("collection", new BsonString(collection))
                .append("batchSize", new BsonInt32(documents));
        var reply = database.runCommand(session, command, ReadPreference.primary(), RawBsonDocument.class)
                .getDocument("cursor");
        id = reply.getInt64("id").getValue();
        var batch = new ArrayList<RawBsonDocument>(documents);
        reply.getArray("nextBatch").forEach(document -> batch.add((RawBsonDocument) document));
        position += batch.size();
        return batch;
    }

    /// Closes it in MongoDB, synchronously. Does not fail.
    void kill() {
        try {
            if (id != 0) {
                database.runCommand(
                        session,
                        new BsonDocument("killCursors", new BsonString(collection))
                                .append("cursors", new BsonArray(List.of(new BsonInt64(id)))),
                        ReadPreference.primary(),
                        RawBsonDocument.class);
            }
        } catch (MongoException | IllegalStateException e) {
            // MongoDB or the client is not available; the cursor will time out.
            LOG.debug("A cursor on {} could not be closed", collection, e);
        } finally {
            id = 0;
            session.close();
        }
    }
}
