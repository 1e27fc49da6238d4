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

/// A cursor of MongoDB that stands at a place of a result, with the session that it was opened in. Nothing of the
/// result is kept here: what it shows is read when it is asked for. Belongs to one thread at a time.
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

    /// @param reply to the command that opened it, whose documents come before the position
    /// @param position of the next document
    /// @param end position behind the last document that it reads
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
        // That of a view may be another than the one that was asked for.
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

    /// Of the next document in the result, as things were when the cursor passed what comes before.
    long position() {
        return position;
    }

    /// Behind the last document that it reads.
    long end() {
        return end;
    }

    /// In [System#nanoTime()].
    long openedAt() {
        return openedAt;
    }

    /// Whether it was not read from yet, so that it stands where it was positioned.
    boolean isFresh() {
        return !used;
    }

    /// Whether MongoDB has closed it, since there is nothing more to read.
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

    /// Closes it in MongoDB. Waits for that; does not fail.
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
            // MongoDB or the client is gone; the cursor's idle time will end.
            LOG.debug("A cursor on {} could not be closed", collection, e);
        } finally {
            id = 0;
            session.close();
        }
    }
}
