package org.restheart.mongo.cursor;

import static org.restheart.bson.BsonValues.object;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A cursor of MongoDB at a position of a result, with the session in which it was opened. No documents are
/// buffered: they are read when they are requested. Confined to one thread at a time.
final class PositionedCursor {
    private static final Logger LOG = LoggerFactory.getLogger(PositionedCursor.class);

    private final QueryKey key;
    private final CursorSession session;
    private final String collection;
    private final long openedAt;
    private final long end;

    private long id;
    private long position;
    private boolean used;
    private long parkedAt;

    /// The session that a cursor belongs to: all commands on it are sent in this.
    private record CursorSession(MongoDatabase database, ClientSession session) {
        /// The field `cursor` of the reply.
        ///
        /// @throws MongoException if MongoDB refuses the command or cannot be reached
        BsonDocument run(BsonDocument command) {
            return reply(command).getDocument("cursor");
        }

        RawBsonDocument reply(BsonDocument command) {
            return database.runCommand(session, command, ReadPreference.primary(), RawBsonDocument.class);
        }

        void close() {
            session.close();
        }
    }

    /// @param reply of the command that opened it, whose documents are before the position
    /// @param position of the next document
    /// @param end position after the last document that it reads
    /// @param openedAt before it was opened, in [System#nanoTime()]
    private PositionedCursor(
            QueryKey key, CursorSession session, BsonDocument reply, long position, long end, long openedAt) {
        this.key = key;
        this.session = session;
        // The collection of a view's cursor may differ from the requested one.
        this.collection = new MongoNamespace(reply.getString("ns").getValue()).getCollectionName();
        this.id = reply.getInt64("id").getValue();
        this.position = position;
        this.end = end;
        this.openedAt = openedAt;
    }

    QueryKey key() {
        return key;
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
        var command = object("getMore", id, "collection", collection, "batchSize", documents);
        var reply = session.run(command);
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
                session.reply(object("killCursors", collection, "cursors", List.of(id)));
            }
        } catch (MongoException | IllegalStateException e) {
            // MongoDB or the client is not available; the cursor will time out.
            LOG.debug("A cursor on {} could not be closed", collection, e);
        } finally {
            id = 0;
            session.close();
        }
    }

    /// Opens cursors in a deployment. Thread-safe.
    static class Opener {
        private static final ClientSessionOptions SESSION =
                ClientSessionOptions.builder().causallyConsistent(false).build();

        /// The time limit of one cursor, if the query has none.
        private static final Duration TIME_LIMIT = Duration.ofMinutes(1);

        private static final BsonInt32 FIRST_BATCH = new BsonInt32(1);

        private final MongoClient client;

        Opener(MongoClient client) {
            this.client = client;
        }

        /// Whether all commands reach the server that keeps the cursor.
        boolean isPossible() {
            return client.getReadPreference().equals(ReadPreference.primary()) && server().isPresent();
        }

        /// The primary, or the only server there is. With several routers `getMore` could be sent to the wrong
        /// one.
        private Optional<ServerAddress> server() {
            var servers = client.getClusterDescription().getServerDescriptions();
            var primary = of(servers, ServerType.REPLICA_SET_PRIMARY);
            if (primary.isPresent() || servers.size() != 1) {
                return primary;
            }
            return of(servers, ServerType.STANDALONE).or(() -> of(servers, ServerType.SHARD_ROUTER));
        }

        private static Optional<ServerAddress> of(List<ServerDescription> servers, ServerType type) {
            return servers.stream()
                    .filter(server -> server.getType() == type)
                    .map(ServerDescription::getAddress)
                    .findFirst();
        }

        /// A cursor at the position. Blocks until MongoDB has skipped the documents before it: the first batch
        /// contains only the last of them, and the documents after it are read only when they are requested.
        ///
        /// @param query its skip and limit are not used
        /// @param position from 1
        /// @param span documents that it may read from there
        /// @return empty if the result ends before
        /// @throws MongoException if MongoDB refuses the query or cannot be reached
        Optional<PositionedCursor> open(QueryKey key, FindQuery query, long position, int span) {
            if (server().isEmpty()) {
                return Optional.empty();
            }
            long now = System.nanoTime();
            var command = command(query.slice(position - 1, span + 1));
            var limit = query.settings().timeLimit().isZero()
                    ? TIME_LIMIT
                    : query.settings().timeLimit();
            command.append("maxTimeMS", new BsonInt64(limit.toMillis()));
            if (!client.getReadConcern().isServerDefault()) {
                command.append("readConcern", client.getReadConcern().asDocument());
            }
            var database = client.getDatabase(query.namespace().getDatabaseName());
            var session = new CursorSession(database, client.startSession(SESSION));
            boolean kept = false;
            try {
                var reply = session.run(command);
                if (isOver(reply)) {
                    return Optional.empty();
                }
                kept = true;
                return Optional.of(new PositionedCursor(key, session, reply, position, position + span, now));
            } finally {
                if (!kept) {
                    session.close();
                }
            }
        }

        /// The query as a database command, since the cursor stays open longer than the driver's and its batch size
        /// varies. Without the read concern and the time limit of the query's settings.
        private static BsonDocument command(FindQuery query) {
            var command = query.isStaged() ? aggregate(query) : find(query);
            query.hint().ifPresent(hint -> command.append("hint", hint));
            query.settings().collation().ifPresent(collation -> command.append("collation", collation.asDocument()));
            return command;
        }

        private static BsonDocument find(FindQuery query) {
            return new BsonDocument("find", new BsonString(query.namespace().getCollectionName()))
                    .append("filter", query.filter().single())
                    .append("projection", query.projection().single())
                    .append("sort", query.sort())
                    .append("skip", new BsonInt64(query.skip()))
                    .append("limit", new BsonInt32(query.limit()))
                    .append("batchSize", FIRST_BATCH);
        }

        private static BsonDocument aggregate(FindQuery query) {
            return new BsonDocument(
                            "aggregate", new BsonString(query.namespace().getCollectionName()))
                    .append("pipeline", new BsonArray(DriverFinder.stages(query)))
                    .append("cursor", new BsonDocument("batchSize", FIRST_BATCH));
        }

        private static boolean isOver(BsonDocument reply) {
            return reply.getInt64("id").getValue() == 0;
        }
    }
}
